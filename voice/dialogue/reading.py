"""What a reading says, as data: who, where, effects first, the exact words, what it takes, the one-time word (pure)."""

from engine.domain.wire import GateView, PlanView, ReadingView
from voice.dialogue.requests import Say


def gate_reading(gate: GateView, reading: ReadingView | None, say_id: str | None) -> Say:
    """The whole reading of a gate; its exact text is the engine's where it gave one."""
    command = gate["command"]
    return Say(
        "reading.gate",
        {
            "agent": gate["agentName"],
            "project": gate["projectName"],
            "exact": reading["text"] if reading else (command or gate["prompt"]),
            "kind": "command" if command is not None else "prompt",
            "effects": [dict(effect) for effect in gate["effects"]],
            "tier": gate["tier"],
            "choices": [{"label": choice["label"], "kind": choice["kind"]} for choice in gate["choices"]],
            "screen_only": gate["screenOnly"] or "",
            "speakable": gate["speakable"],
            "may_have_begun": gate["mayHaveBegun"],
            "secrets": gate["secretsMasked"],
            "word": (reading["word"] or "") if reading else "",
        },
        urgency="gate",
        id=say_id or "",
    )


def plan_reading(plan: PlanView, reading: ReadingView | None = None, say_id: str | None = None) -> Say:
    """The whole reading of a plan: the exact message that would be sent."""
    return Say(
        "reading.plan",
        {
            "number": plan["number"],
            "agent": plan["targetAgentName"],
            "project": plan["projectName"],
            "description": plan["description"],
            "exact": reading["text"] if reading else plan["proposedMessage"],
            "maybe_sent": plan["maybeSent"],
            "word": (reading["word"] or "") if reading else "",
        },
        urgency="plan",
        id=say_id or "",
    )
