"""One project.json as a value: project, agents with their gates, plans; changed by making a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.domain.errors import NotFound, Unavailable
from engine.domain.gates import Gate
from engine.domain.plans import Plan, PlanDecision
from engine.domain.projects import Agent, Project
from engine.storage.records import Raw, from_dict, merged, to_dict, tolerant_gate


@dataclass(frozen=True, slots=True)
class Resolving:
    """A plan's decision that is under way: from before anything is sent until its audit line stands."""

    decision: PlanDecision
    request_id: str
    at: str
    line: dict[str, Any] | None = None  # the audit line, once the outcome is known


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFile:
    """What project.json holds. ``gates``: open ones by agent id, the head first."""

    project: Project
    agents: tuple[Agent, ...] = ()
    pending_plans: tuple[Plan, ...] = ()
    gates: Mapping[str, tuple[Gate, ...]] = field(default_factory=dict)
    resolving: Mapping[str, Resolving] = field(default_factory=dict)
    raw: Raw = field(default_factory=dict, repr=False, compare=False)

    def agent(self, agent_id: str) -> Agent:
        """Raises NotFound."""
        for agent in self.agents:
            if agent.id == agent_id:
                return agent
        raise NotFound(f"There is no agent {agent_id} in {self.project.name}.")

    def plan(self, plan_id: str) -> Plan:
        """Raises NotFound."""
        for plan in self.pending_plans:
            if plan.id == plan_id:
                return plan
        raise NotFound(f"Plan {plan_id} is not (or no longer) waiting in {self.project.name}.")

    def with_project(self, project: Project) -> "ProjectFile":
        return replace(self, project=project)

    def with_agent(self, agent: Agent) -> "ProjectFile":
        """The agent in its old place, or added at the end."""
        return replace(self, agents=_placed(self.agents, agent))

    def without_agent(self, agent_id: str) -> "ProjectFile":
        self.agent(agent_id)
        gates = {key: value for key, value in self.gates.items() if key != agent_id}
        return replace(self, agents=tuple(a for a in self.agents if a.id != agent_id), gates=gates)

    def with_gates(self, agent_id: str, gates: tuple[Gate, ...]) -> "ProjectFile":
        self.agent(agent_id)
        rest = {key: value for key, value in self.gates.items() if key != agent_id}
        return replace(self, gates=rest | ({agent_id: gates} if gates else {}))

    def with_plan(self, plan: Plan) -> "ProjectFile":
        return replace(self, pending_plans=_placed(self.pending_plans, plan))

    def without_plan(self, plan_id: str) -> "ProjectFile":
        self.plan(plan_id)
        return replace(
            self.with_resolving(plan_id, None),
            pending_plans=tuple(p for p in self.pending_plans if p.id != plan_id),
        )

    def with_resolving(self, plan_id: str, state: Resolving | None) -> "ProjectFile":
        rest = {key: value for key, value in self.resolving.items() if key != plan_id}
        return replace(self, resolving=rest if state is None else rest | {plan_id: state})


def parse_project_file(raw: Raw, name: str) -> ProjectFile:
    """A project file from its JSON. ``name`` is for the sentence of the Unavailable when it can't be one."""
    body = raw.get("project")
    if not isinstance(body, dict):
        raise Unavailable(f"{name} holds no project; mend it, or move it away.")
    project = from_dict(Project, {"createdAt": "", "cwd": "", **body})
    agents, gates = [], {}
    for entry in _objects(raw, "agents"):
        agent = from_dict(Agent, {"projectId": project.id, "cwd": project.cwd, **entry})
        agents.append(agent)
        if found := _gates_of(entry, project.id, agent.id):
            gates[agent.id] = found
    plans = {p.id: (p, entry) for entry in _objects(raw, "pendingPlans") for p in [_plan(entry, project)]}
    return ProjectFile(
        project=project,
        agents=tuple(agents),
        pending_plans=tuple(plan for plan, _ in plans.values()),
        gates=gates,
        resolving={key: state for key, (_, entry) in plans.items() if (state := _resolving(entry)) is not None},
        raw=raw,
    )


def dump_project_file(file: ProjectFile) -> Raw:
    """The JSON of a project file, written over what was there: unknown keys stay, matched by id."""
    agents = _by_id(file.raw, "agents")
    plans = _by_id(file.raw, "pendingPlans")
    return {
        **file.raw,
        "project": merged(_object(file.raw.get("project")), file.project),
        "agents": [_agent_raw(agents.get(a.id, {}), a, file.gates.get(a.id, ())) for a in file.agents],
        "pendingPlans": [_plan_raw(plans.get(p.id, {}), p, file.resolving.get(p.id)) for p in file.pending_plans],
    }


def _plan(entry: Raw, project: Project) -> Plan:
    return from_dict(Plan, {"projectId": project.id, "targetProject": project.id, "createdAt": "", **entry})


def _gates_of(entry: Raw, project_id: str, agent_id: str) -> tuple[Gate, ...]:
    queued = entry.get("queuedGates")
    raws = [entry.get("pendingGate"), *(queued if isinstance(queued, list) else [])]
    return tuple(tolerant_gate(raw, project_id, agent_id) for raw in raws if isinstance(raw, dict))


def _agent_raw(raw: Raw, agent: Agent, gates: tuple[Gate, ...]) -> Raw:
    old = {
        g["id"]: g for g in [raw.get("pendingGate"), *_list(raw, "queuedGates")] if isinstance(g, dict) and "id" in g
    }
    new = [merged(old.get(gate.id, {}), gate) for gate in gates]
    bare = {key: value for key, value in raw.items() if key not in ("pendingGate", "queuedGates")}
    result = merged(bare, agent)
    if new:
        result["pendingGate"] = new[0]
    if new[1:]:
        result["queuedGates"] = new[1:]
    return result


def _plan_raw(raw: Raw, plan: Plan, state: Resolving | None) -> Raw:
    result = merged({key: value for key, value in raw.items() if key != "resolving"}, plan)
    if state is not None:
        result["resolving"] = {"decision": state.decision, "requestId": state.request_id, "at": state.at}
        if state.line is not None:
            result["resolving"]["line"] = state.line
    return result


def _resolving(entry: Raw) -> Resolving | None:
    match entry.get("resolving"):
        case {"decision": "approve" | "reject" as decision, "requestId": str(request), **rest}:
            line = rest.get("line")
            return Resolving(decision, request, str(rest.get("at", "")), line if isinstance(line, dict) else None)
        case _:
            return None


def _placed(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if any(v.id == value.id for v in values):
        return tuple(value if v.id == value.id else v for v in values)
    return (*values, value)


def _object(value: object) -> Raw:
    return value if isinstance(value, dict) else {}


def _list(raw: Raw, key: str) -> list[Any]:
    value = raw.get(key)
    return value if isinstance(value, list) else []


def _objects(raw: Raw, key: str) -> list[Raw]:
    return [entry for entry in _list(raw, key) if isinstance(entry, dict)]


def _by_id(raw: Raw, key: str) -> dict[str, Raw]:
    return {entry["id"]: entry for entry in _objects(raw, key) if isinstance(entry.get("id"), str)}


def new_project_file(project: Project) -> Raw:
    """The JSON of a fresh project."""
    return {"project": to_dict(project), "agents": [], "pendingPlans": []}
