"""Domain values as they go over the wire, secrets masked (pure)."""

from collections.abc import Sequence

from engine.domain.chat import ChatEntry
from engine.domain.gates import Choice, Effect, Gate, Keys, KillHeld, Proceed, Reply, Structured
from engine.domain.plans import Plan
from engine.domain.projects import Project
from engine.domain.runs import Run
from engine.domain.secrets import mask
from engine.domain.wire import (
    ChatView,
    ChoiceView,
    EffectView,
    GateView,
    PlanView,
    ProjectView,
    RunView,
    StepView,
    VoiceView,
)

_KEY_NAMES = {"\r": "Enter", "\x1b": "Escape", "\t": "Tab", "\x1b[A": "Up", "\x1b[B": "Down", "\x1b[C": "Right"}


def sends(reply: Reply) -> str:
    """What a reply would send, in words for a person."""
    match reply:
        case Keys(writes):
            return "types " + ", ".join(_KEY_NAMES.get(text, text) for text in writes)
        case Structured(option, message):
            return f"answers {option}" + (f": {message}" if message else "")
        case Proceed():
            return "lets it go on"
        case KillHeld():
            return "ends the held command"


def choice_view(choice: Choice) -> ChoiceView:
    """One answer of a prompt."""
    return {"label": choice.label, "kind": choice.kind, "sends": sends(choice.reply)}


def effect_view(effect: Effect) -> EffectView:
    """One effect of a command."""
    targets = [mask(target)[0] for target in effect.targets]
    return {"kind": effect.kind, "targets": targets, "place": effect.place, "undo": effect.undo}


def gate_view(gate: Gate, *, agent_name: str, project_name: str, head: bool) -> GateView:
    """A gate for page, voice and CLI; the record on disk stays exact."""
    prompt, in_prompt = mask(gate.prompt)
    command, in_command = (None, False) if gate.command is None else mask(gate.command)
    return {
        "id": gate.id,
        "agentId": gate.agent_id,
        "agentName": agent_name,
        "projectId": gate.project_id,
        "projectName": project_name,
        "prompt": prompt,
        "command": command,
        "choices": [choice_view(choice) for choice in gate.choices],
        "source": gate.source,
        "tier": gate.tier,
        "screenOnly": gate.screen_only,
        "speakable": gate.speakable,
        "mayHaveBegun": gate.may_have_begun,
        "effects": [effect_view(effect) for effect in gate.effects],
        "cwd": gate.cwd,
        "branch": gate.branch,
        "fingerprint": gate.fingerprint,
        "raisedAt": gate.raised_at,
        "head": head,
        "secretsMasked": in_prompt or in_command,
    }


def project_view(project: Project) -> ProjectView:
    """A project as a list shows it."""
    return {
        "id": project.id,
        "name": project.name,
        "description": project.description,
        "cwd": project.cwd,
        "createdAt": project.created_at,
    }


def plan_view(plan: Plan, *, project_name: str, agent_name: str, maybe_sent: bool) -> PlanView:
    """A pending plan, not numbered yet."""
    return {
        "id": plan.id,
        "number": 0,
        "projectId": plan.project_id,
        "projectName": project_name,
        "description": plan.description,
        "targetAgent": plan.target_agent,
        "targetAgentName": agent_name,
        "targetProject": plan.target_project,
        "proposedMessage": plan.proposed_message,
        "createdAt": plan.created_at,
        "maybeSent": maybe_sent,
    }


def numbered(plans: Sequence[PlanView]) -> list[PlanView]:
    """Plans of all projects by age, with the numbers by which people call them."""
    ordered = sorted(plans, key=lambda plan: (plan["createdAt"], plan["id"]))
    return [{**plan, "number": number} for number, plan in enumerate(ordered, start=1)]


def chat_views(entries: Sequence[ChatEntry]) -> list[ChatView]:
    """Lines of a group chat."""
    return [
        {
            "id": entry.id,
            "ts": entry.ts,
            "role": entry.role,
            "sender": entry.sender,
            "text": mask(entry.text)[0],
            "classification": entry.classification,
        }
        for entry in entries
    ]


def step_view(run: Run) -> StepView:
    """A step of a session."""
    return {
        "id": run.id,
        "agentName": run.agent_name,
        "cli": run.cli,
        "state": run.state,
        "startedAt": run.started_at,
        "endedAt": run.ended_at,
    }


def run_view(run: Run) -> RunView:
    """A session as lists show it."""
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


def silent_voice() -> VoiceView:
    """What is known of voice before it says anything."""
    return {
        "connected": False,
        "listening": "off",
        "mode": None,
        "note": None,
        "heard": None,
        "said": None,
        "pending": None,
        "timingsMs": {},
        "updatedAt": None,
    }
