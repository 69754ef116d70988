"""The parts of the engine, wired: the one place that knows which implementation stands behind each Protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.api.auth.tokens import Tokens
from engine.api.events import EventHub
from engine.domain import views
from engine.domain.gates import Gate
from engine.gates.consent import VoiceSessions
from engine.gates.resolve import Resolver
from engine.gates.sources.command import RealSurroundings
from engine.gates.sources.screen import ScreenReader
from engine.gates.sources.tools import why_ask
from engine.ports.clock import SystemClock
from engine.ports.hub import Hub
from engine.runtimes.claude_hooks.desk import HookDesk
from engine.runtimes.claude_hooks.runtime import AskWhy
from engine.runtimes.manager import LocalRuntimes
from engine.service.office import Office
from engine.service.service import Service
from engine.sessions.blind import blind
from engine.sessions.gatebook import Book
from engine.sessions.lives import Lives
from engine.sessions.provenance import Provenance, token_id
from engine.sessions.raising import Raiser
from engine.sessions.registry import Registry
from engine.sessions.sessions import Sessions
from engine.sessions.vault import Vault
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything that lives as long as the engine does."""

    layout: Layout
    clock: SystemClock
    store: Store
    runs: Runs
    hub: EventHub
    tokens: Tokens
    hooks: HookDesk
    runtimes: LocalRuntimes
    lives: Lives
    resolver: Resolver
    office: Office
    service: Service


def build(home: Path, *, event_floor: int, language: str = "en") -> Engine:
    """Wire the engine of one data root; touches nothing but its tokens."""
    layout = Layout(home)
    clock = SystemClock()
    store, runs = Store(layout, clock), Runs(layout, clock)
    hub = EventHub(clock, floor=event_floor)
    reader = ScreenReader(blind)
    tokens = Tokens.load(home)
    hooks = HookDesk(_Minted(tokens, Provenance(layout, clock), runs), _why_ask(str(home)))
    runtimes = LocalRuntimes(reader, clock, hooks=hooks)
    registry = Registry()
    consent = VoiceSessions(clock, language)
    names = _Names(registry)
    raiser = Raiser(store, layout, clock)
    book = Book(store, runs, registry, hub, recheck=raiser.recheck, shown=names.shown)
    resolver = Resolver(book, clock, consent)
    announcer = _Announcer(hub)
    lives = Lives(
        store=store,
        runs=runs,
        runtimes=runtimes,
        last_words=runtimes.last_words,
        registry=registry,
        book=book,
        resolver=resolver,
        raiser=raiser,
        reader=reader,
        hub=hub,
        clock=clock,
        changed=announcer.changed,
        secrets=Vault(layout).values,
    )
    sessions = Sessions(store, runs, lives, registry, clock)
    office = Office(store, runs, registry, lives, book, resolver, sessions, consent, hub, clock, str(home))
    announcer.office = office
    names.office = office
    raiser.answer = resolver.resolve
    return Engine(layout, clock, store, runs, hub, tokens, hooks, runtimes, lives, resolver, office, Service(office))


def _why_ask(conduit_home: str) -> AskWhy:
    """The judge of tool calls, looking at the files where the agent works."""

    def why(tool: str, given: Mapping[str, Any], folder: str) -> str | None:
        return why_ask(tool, given, RealSurroundings(cwd=folder, project=folder, conduit_home=conduit_home))

    return why


class _Minted:
    """Tokens of agents, each noted with the session step that it stands for, and gone with its process."""

    def __init__(self, tokens: Tokens, provenance: Provenance, runs: Runs) -> None:
        self._tokens = tokens
        self._provenance = provenance
        self._runs = runs

    def mint_agent(self, run_id: str) -> str:
        token = self._tokens.mint_agent(run_id)
        self._provenance.mint(token_id(token), self._runs.get(run_id))
        return token

    def adopt_agent(self, run_id: str, token: str) -> None:
        """Found again after a restart; one that has expired, or stands for another run, stays unknown."""
        if self._provenance.run_of(token_id(token)) == run_id:
            self._tokens.adopt_agent(run_id, token)

    def revoke_agent(self, run_id: str) -> None:
        self._tokens.revoke_agent(run_id)
        self._provenance.expire(run_id)


class _Announcer:
    """Tells that an agent's status changed; set up before the office that it asks exists."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.office: Office | None = None

    async def changed(self, project_id: str, agent_id: str) -> None:
        if self.office is None:
            return
        project, agent = await self.office.agent(project_id, agent_id)
        self._hub.publish("agent:status", {"agent": await self.office.agent_view(project, agent)})


class _Names:
    """The view of a gate with the names that people know."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.office: Office | None = None

    def shown(self, gate: Gate, head: bool) -> dict[str, object]:
        life = self._registry.get(gate.agent_id)
        agent = life.agent.name if life else gate.agent_id
        project = life.project_name if life else gate.project_id
        return dict(views.gate_view(gate, agent_name=agent, project_name=project, head=head))
