"""Lines about gates: of the journal, of the audit, and sentences on what became of one. Pure."""

from engine.domain.chat import AuditEvent, AuditLine
from engine.domain.gates import CloseReason, Decision, Gate, Resolution
from engine.domain.ids import new_id
from engine.gates.ports import Decided, GateEntry, GateEvent, GateRecord, ResolveRequest
from engine.ports.runtime import Answered

_AUDIT: dict[Decision, AuditEvent] = {"approve": "gate_approve", "reject": "gate_reject", "custom": "gate_custom"}


def entry(
    kind: GateEvent,
    gate: Gate,
    ts: str,
    *,
    decided: Decided | None = None,
    resolution: Resolution | None = None,
    reason: str | None = None,
    closed: CloseReason | None = None,
    replaced_by: str | None = None,
) -> GateEntry:
    """One line of the journal."""
    return GateEntry(
        type=kind,
        gate_id=gate.id,
        ts=ts,
        decided=decided,
        resolution=resolution,
        reason=reason,
        closed=closed,
        replaced_by=replaced_by,
    )


def resolution_of(gate: Gate, agent_name: str, decided: Decided, answered: Answered) -> Resolution:
    """What the resolve call answers with."""
    return Resolution(
        gate_id=gate.id,
        agent_name=agent_name,
        decision=decided.decision,
        via=decided.via,
        action=answered.action,
        at=decided.at,
        authorising_phrase=decided.authorising_phrase,
        details=dict(answered.extra),
    )


def audit_line(gate: Gate, decided: Decided, action: str) -> AuditLine:
    """The one line of a decision, with what really reached the agent; the book adds the masked gate."""
    return AuditLine(
        id=decided.audit_id,
        timestamp=decided.at,
        event=_AUDIT[decided.decision],
        decision=decided.decision,
        action=action,
        via=decided.via,
        agent_id=gate.agent_id,
        authorising_phrase=decided.authorising_phrase,
        reason=decided.policy_rule,
    )


def terminal_line(gate: Gate, ts: str) -> AuditLine:
    """The line of a gate whose question a person answered at the agent's own terminal."""
    return AuditLine(
        id=new_id("au"),
        timestamp=ts,
        event="gate_closed",
        decision="closed",
        action="answered at the terminal",
        via="terminal",
        agent_id=gate.agent_id,
    )


def by_voice(request: ResolveRequest) -> bool:
    """Whether this decision needs the user's spoken words."""
    return request.via == "voice" and request.decision != "reject"


def same_request(decided: Decided | None, request: ResolveRequest) -> bool:
    """Whether a request repeats the one that decided."""
    return (
        decided is not None
        and request.request_id is not None
        and (decided.request_id, decided.decision, decided.custom_input)
        == (request.request_id, request.decision, request.custom_input)
    )


def details_of(record: GateRecord) -> dict[str, str]:
    """What was decided, when and by which way, for the loser of a race."""
    if record.decided is not None and record.state != "closed":
        return {"decision": record.decided.decision, "at": record.decided.at, "via": record.decided.via}
    details = {"closed": record.closed or "withdrawn"}
    return details | ({"replacedBy": record.replaced_by} if record.replaced_by else {})


def how_decided(record: GateRecord) -> str:
    """The same as a sentence."""
    words = {"approve": "approved", "reject": "rejected", "custom": "answered with own text"}
    if record.decided is None:
        return f"Gate {record.gate.id} is being decided already."
    decided = record.decided
    return f"Gate {record.gate.id} was already {words[decided.decision]} at {decided.at}, by {decided.via}."


def how_closed(record: GateRecord) -> str:
    """Why a gate that nobody resolved here is closed, as a sentence."""
    if record.replaced_by:
        return f"Gate {record.gate.id} has changed and is asked anew as gate {record.replaced_by}."
    why = {
        "resolved": "it was decided",
        "process_lost": "its process is gone",
        "answered_at_terminal": "it was answered at the terminal",
        "withdrawn": "the agent no longer asks",
        "agent_stopped": "its agent was stopped",
    }[record.closed or "withdrawn"]
    return f"Gate {record.gate.id} is closed: {why}. Nothing was sent; if the agent still wants it, it will ask again."
