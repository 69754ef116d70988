"""Group chat of a project, and the audit of what its user decided."""

from dataclasses import dataclass
from typing import Any, Literal

from engine.domain.gates import Via

ChatRole = Literal["user", "supervisor", "agent"]
Classification = Literal["progress", "blocker", "question", "risky_action"]
AuditEvent = Literal[
    "gate_approve",
    "gate_reject",
    "gate_custom",
    "gate_closed",
    "gate_reveal",
    "plan_approve",
    "plan_reject",
    "policy_change",
    "agent_stop",
    "broadcast",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEntry:
    """One line of groupchat.jsonl."""

    id: str
    ts: str
    role: ChatRole
    sender: str
    text: str
    classification: Classification | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One decision. ``gate`` or ``plan`` is the whole record, secrets masked."""

    id: str
    timestamp: str
    event: AuditEvent
    decision: str
    action: str  # what really reached the agent
    via: Via
    agent_id: str | None = None
    plan_id: str | None = None
    gate: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    authorising_phrase: str | None = None
    reason: str | None = None
