"""What lives now: the engine's snapshot, or the same read from the files when no engine runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.domain.gates import Gate
from engine.domain.projects import Agent, Project
from engine.domain.runs import Run
from engine.domain.secrets import mask
from engine.domain.wire import AgentView, GateView, OrgSnapshot, PlanView, RunView

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
        "voice": {
            "connected": False,
            "listening": "off",
            "mode": None,
            "note": None,
            "heard": None,
            "said": None,
            "timingsMs": {},
            "updatedAt": None,
        },
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
        found["projects"].append(
            {
                "id": project.id,
                "name": project.name,
                "description": project.description,
                "cwd": project.cwd,
                "createdAt": project.created_at,
            }
        )
        for agent in file.agents:
            gates = [_gate(gate, agent, project, head=not i) for i, gate in enumerate(file.gates.get(agent.id, ()))]
            found["gates"].extend(gates)
            found["agents"].append(_agent(agent, project, gates))
        names = {agent.id: agent.name for agent in file.agents}
        for plan in file.pending_plans:
            found["plans"].append(
                {
                    "id": plan.id,
                    "number": 0,
                    "projectId": plan.project_id,
                    "projectName": project.name,
                    "description": plan.description,
                    "targetAgent": plan.target_agent,
                    "targetAgentName": names.get(plan.target_agent, plan.target_agent),
                    "targetProject": plan.target_project,
                    "proposedMessage": plan.proposed_message,
                    "createdAt": plan.created_at,
                    "maybeSent": plan.id in file.resolving,
                }
            )
    found["gates"].sort(key=lambda gate: (not gate["head"], gate["raisedAt"]))
    found["plans"] = _numbered(found["plans"])
    found["sessions"] = [_run(run) for run in Runs(layout).latest(_RECENT_SESSIONS)] if layout.runs.is_dir() else []
    return found


def _numbered(plans: Sequence[PlanView]) -> list[PlanView]:
    """Plans by age, numbered as people see them."""
    ordered = sorted(plans, key=lambda plan: (plan["createdAt"], plan["id"]))
    for number, plan in enumerate(ordered, start=1):
        plan["number"] = number
    return ordered


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
    prompt, masked_prompt = mask(gate.prompt)
    command, masked_command = mask(gate.command) if gate.command is not None else (None, False)
    return {
        "id": gate.id,
        "agentId": agent.id,
        "agentName": agent.name,
        "projectId": project.id,
        "projectName": project.name,
        "prompt": prompt,
        "command": command,
        "choices": [{"label": choice.label, "kind": choice.kind, "sends": ""} for choice in gate.choices],
        "source": gate.source,
        "tier": gate.tier,
        "screenOnly": gate.screen_only,
        "speakable": gate.speakable,
        "mayHaveBegun": gate.may_have_begun,
        "effects": [
            {"kind": effect.kind, "targets": list(effect.targets), "place": effect.place, "undo": effect.undo}
            for effect in gate.effects
        ],
        "cwd": gate.cwd,
        "branch": gate.branch,
        "fingerprint": gate.fingerprint,
        "raisedAt": gate.raised_at,
        "head": head,
        "secretsMasked": masked_prompt or masked_command,
    }


def _run(run: Run) -> RunView:
    return {
        "id": run.id,
        "number": run.number,
        "name": f"S-{run.number}",
        "projectId": run.project_id,
        "agentId": run.agent_id,
        "agentName": run.agent_name,
        "cli": run.cli,
        "state": run.state,
        "startedAt": run.started_at,
        "endedAt": run.ended_at,
        "exitCode": run.exit_code,
        "reason": run.reason,
        "control_path": run.control_path,
        "workspace_path": run.workspace_path,
    }
