"""What lives now: the engine's snapshot, or the same read from the files when no engine runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.domain import views
from engine.domain.gates import Gate
from engine.domain.projects import Agent, Project
from engine.domain.wire import AgentView, GateView, OrgSnapshot

_RECENT_SESSIONS = 20


def live_names(snapshot: OrgSnapshot) -> Mapping[str, Sequence[str]]:
    """Names by kind, for the lists of a grammar."""
    return {
        "agents": tuple(dict.fromkeys(agent["name"] for agent in snapshot["agents"])),
        "projects": tuple(dict.fromkeys(project["name"] for project in snapshot["projects"])),
    }


def empty_snapshot() -> OrgSnapshot:
    """Nothing lives (a fresh root)."""
    return {
        "eventId": 0,
        "projects": [],
        "agents": [],
        "gates": [],
        "plans": [],
        "sessions": [],
        "voice": views.silent_voice(),
    }


def snapshot_from_files(root: Path) -> OrgSnapshot:
    """The state under a data root, without its engine: every agent counts as stopped; nothing is written.

    Raises Unavailable when a file of the root can't be read.
    """
    from engine.storage.layout import Layout
    from engine.storage.runs import Runs
    from engine.storage.store import Store

    found = empty_snapshot()
    layout = Layout(root)
    if not layout.projects.is_dir():
        return found
    for file in Store(layout).list_files():
        project = file.project
        found["projects"].append(views.project_view(project))
        for agent in file.agents:
            gates = [_gate(gate, agent, project, head=not i) for i, gate in enumerate(file.gates.get(agent.id, ()))]
            found["gates"].extend(gates)
            found["agents"].append(_agent(agent, project, gates))
        names = {agent.id: agent.name for agent in file.agents}
        for plan in file.pending_plans:
            found["plans"].append(
                views.plan_view(
                    plan,
                    project_name=project.name,
                    agent_name=names.get(plan.target_agent, plan.target_agent),
                    maybe_sent=plan.id in file.resolving,
                )
            )
    found["gates"].sort(key=lambda gate: (not gate["head"], gate["raisedAt"]))
    found["plans"] = views.numbered(found["plans"])
    found["sessions"] = (
        [views.run_view(run) for run in Runs(layout).latest(_RECENT_SESSIONS)] if layout.runs.is_dir() else []
    )
    return found


def _agent(agent: Agent, project: Project, gates: Sequence[GateView]) -> AgentView:
    return {
        "id": agent.id,
        "projectId": project.id,
        "projectName": project.name,
        "name": agent.name,
        "role": agent.role,
        "cli": agent.cli,
        "cwd": agent.cwd,
        "status": "stopped",
        "livenessOnly": True,
        "frozen": False,
        "pid": None,
        "sessionId": agent.session_id,
        "sessionNumber": None,
        "pendingGate": gates[0] if gates else None,
        "queuedGates": max(0, len(gates) - 1),
        "queuedMessages": 0,
        "exit": None,
    }


def _gate(gate: Gate, agent: Agent, project: Project, *, head: bool) -> GateView:
    return views.gate_view(gate, agent_name=agent.name, project_name=project.name, head=head)
