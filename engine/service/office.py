"""What every part of the service works with, and the views that need more than one source."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain import views
from engine.domain.errors import NotFound, Unavailable
from engine.domain.gates import Gate
from engine.domain.projects import Agent, AgentStatus, Project
from engine.domain.wire import AgentView, GateView, PlanView, VoiceView
from engine.gates.resolve import Resolver
from engine.ports.clock import Clock
from engine.ports.hub import Hub
from engine.runtimes import catalog
from engine.service.roster import pick
from engine.sessions import status
from engine.sessions.gatebook import Book
from engine.sessions.lives import Lives
from engine.sessions.registry import Alive, Registry
from engine.sessions.sessions import Sessions
from engine.storage.project_file import ProjectFile
from engine.storage.runs import Runs
from engine.storage.store import Store

if TYPE_CHECKING:
    from engine.gates.consent import VoiceSessions


@dataclass
class Office:
    """The engine's parts, as the service uses them."""

    store: Store
    runs: Runs
    registry: Registry
    lives: Lives
    book: Book
    resolver: Resolver
    sessions: Sessions
    consent: "VoiceSessions"
    hub: Hub
    clock: Clock
    home: str
    voice: VoiceView = field(default_factory=views.silent_voice)

    async def file(self, project_id: str) -> ProjectFile:
        """One project with its agents and plans; NotFound says what to do."""
        return await asyncio.to_thread(self.store.project_file, project_id)

    async def files(self) -> list[ProjectFile]:
        """All projects, oldest first."""
        return await asyncio.to_thread(self.store.list_files)

    async def find(self, project: str, agent: str) -> tuple[ProjectFile, Agent]:
        """A project and one of its agents, by id or name."""
        files = {file.project.id: file for file in await self.files()}
        found = pick([file.project for file in files.values()], project, what="project")
        file = files[found.id]
        return file, pick(file.agents, agent, what="agent")

    async def agent(self, project_id: str, agent_id: str) -> tuple[Project, Agent]:
        """An agent by its id, with its project."""
        file = await self.file(project_id)
        agent = next((agent for agent in file.agents if agent.id == agent_id), None)
        if agent is None:
            raise NotFound(f"Project {file.project.name} has no agent with the id {agent_id}.")
        return file.project, agent

    def gate_view(self, gate: Gate, agent_name: str, project_name: str, *, head: bool) -> GateView:
        """A gate with the names that people know."""
        return views.gate_view(gate, agent_name=agent_name, project_name=project_name, head=head)

    async def agent_view(self, project: Project, agent: Agent) -> AgentView:
        """An agent with its live status."""
        life = self.registry.get(agent.id)
        gates = self.book.queue(agent.id)
        head = self.gate_view(gates[0], agent.name, project.name, head=True) if gates else None
        number, end = await self._session(agent, life)
        return {
            "id": agent.id,
            "projectId": project.id,
            "projectName": project.name,
            "name": agent.name,
            "role": agent.role,
            "cli": agent.cli,
            "cwd": agent.cwd,
            "status": self._status(life),
            "livenessOnly": life.known.liveness_only if life else _liveness_only(agent),
            "frozen": bool(gates) and life is not None and await _frozen(life),
            "pid": agent.pid,
            "sessionId": agent.session_id,
            "sessionNumber": number,
            "pendingGate": head,
            "queuedGates": max(0, len(gates) - 1),
            "queuedMessages": life.mailbox.waiting if life else 0,
            "exit": end,
        }

    async def plan_views(self, project_id: str | None = None) -> list[PlanView]:
        """The pending plans of one project, or of all, oldest first, each with its number among all."""
        plans = [view for file in await self.files() for view in plan_views(file)]
        return [view for view in views.numbered(plans) if project_id in (None, view["projectId"])]

    def _status(self, life: Alive | None) -> AgentStatus:
        if life is None:
            return "stopped"
        shown = status.at(life.known, self.clock.boot())
        # An ended life leaves the registry once nothing of its tree is left; until then it is not called stopped.
        return "running" if shown == "stopped" else shown

    async def _session(self, agent: Agent, life: Alive | None) -> tuple[int | None, str | None]:
        """The number of its latest session, and why that ended."""
        if life is not None:
            return life.run.number, None
        if agent.session_id is None:
            return None, None
        try:
            run = await asyncio.to_thread(self.runs.get, agent.session_id)
        except NotFound:  # the session was deleted
            return None, None
        return run.number, run.reason


async def _frozen(life: Alive) -> bool:
    """Whether its whole tree is stopped right now; one whose holder has just gone is being ended, not frozen."""
    try:
        return await life.runtime.frozen()
    except Unavailable:
        return False


def plan_views(file: ProjectFile) -> list[PlanView]:
    """The pending plans of one project, not numbered yet."""
    names = {agent.id: agent.name for agent in file.agents}
    return [
        views.plan_view(
            plan,
            project_name=file.project.name,
            agent_name=names.get(plan.target_agent, plan.target_agent),
            maybe_sent=plan.id in file.resolving,
        )
        for plan in file.pending_plans
    ]


def _liveness_only(agent: Agent) -> bool:
    try:
        return catalog.load().entry(agent.cli, command=agent.command).liveness_only
    except NotFound:
        return True
