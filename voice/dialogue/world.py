"""What the conversation looks at: the engine's snapshot, the clock, the settings; and how names find their things."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.domain.wire import AgentView, GateView, OrgSnapshot, PlanView, ProjectView, RunView
from voice.dialogue.requests import Request, Say
from voice.dialogue.state import State
from voice.understand.intents import Intent, Understood
from voice.understand.lists import Value

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class World:
    """``now`` in boot seconds; ``undo`` in seconds (0: commands are done at once)."""

    snapshot: OrgSnapshot
    now: float
    understand: Callable[[str], Understood]
    undo: float = 3.0
    by_voice: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """What the conversation decided: its next state, what is to be done, what is to be said, in order."""

    state: State
    requests: tuple[Request, ...] = ()
    says: tuple[Say, ...] = ()


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """Things of one name: exactly one acts; several are asked about; none is said so."""

    all: tuple[T, ...]

    @property
    def one(self) -> T | None:
        return self.all[0] if len(self.all) == 1 else None


def agents_named(world: World, slots: Mapping[str, Value], focus: str | None) -> Found[AgentView]:
    """Agents of the name in ``slots``; a project named decides between several, then the focus."""
    named = [a for a in world.snapshot["agents"] if a["name"] == slots.get("agent")]
    if "project" in slots:
        return Found(tuple(a for a in named if a["projectName"] == slots["project"]))
    focused = [a for a in named if a["projectId"] == focus]
    return Found(tuple(focused if len(named) > 1 and focused else named))


def project_for(world: World, slots: Mapping[str, Value], focus: str | None) -> Found[ProjectView]:
    """The project named, else the one in focus, else the only one."""
    projects = world.snapshot["projects"]
    if "project" in slots:
        return Found(tuple(p for p in projects if p["name"] == slots["project"]))
    focused = [p for p in projects if p["id"] == focus]
    return Found(tuple(focused or projects))


def heads(world: World) -> list[GateView]:
    """Open gates that can be answered now, oldest first."""
    return [gate for gate in world.snapshot["gates"] if gate["head"]]


def gate_by_id(world: World, gate_id: str) -> GateView | None:
    return next((gate for gate in world.snapshot["gates"] if gate["id"] == gate_id), None)


def plan_by_id(world: World, plan_id: str) -> PlanView | None:
    return next((plan for plan in world.snapshot["plans"] if plan["id"] == plan_id), None)


def session_named(world: World, name: str) -> RunView | None:
    return next((run for run in world.snapshot["sessions"] if run["name"] == name), None)


def by_project(intent: Intent, agents: Sequence[AgentView]) -> tuple[Intent, ...]:
    """The same intent for each of several agents of one name."""
    return tuple(
        Intent(intent.name, {**intent.slots, "agent": a["name"], "project": a["projectName"]}, intent.confidence)
        for a in agents
    )
