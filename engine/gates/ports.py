"""What resolving a gate needs from the rest of the engine: a book of gates, kept by the service over storage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from engine.domain.chat import AuditLine
from engine.domain.events import EventType
from engine.domain.gates import CloseReason, Decision, Gate, GateState, Resolution, Via
from engine.ports.runtime import Runtime

GateEvent = Literal["gate_opened", "gate_answered", "gate_delivered", "gate_reopened", "gate_closed"]

# The state that a gate has after each line of its journal.
STATE_AFTER: dict[GateEvent, GateState] = {
    "gate_opened": "open",
    "gate_answered": "answered",
    "gate_delivered": "delivered",
    "gate_reopened": "open",
    "gate_closed": "closed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision as it is journalled before anything is written to the agent."""

    decision: Decision
    via: Via
    at: str  # ISO 8601, UTC
    audit_id: str  # chosen before delivery, so that a crash can't make a second audit line
    custom_input: str | None = None
    request_id: str | None = None
    authorising_phrase: str | None = None
    policy_rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEntry:
    """One line of a gate's life in the journal of its run."""

    type: GateEvent
    gate_id: str
    ts: str
    decided: Decided | None = None  # answered, delivered
    resolution: Resolution | None = None  # delivered: what really reached the agent
    reason: str | None = None  # reopened, closed: a sentence
    closed: CloseReason | None = None
    replaced_by: str | None = None  # closed because it changed: the id of the gate that asks now


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """A gate with what its journal says of it; ``record_of`` makes one out of entries."""

    gate: Gate
    state: GateState
    decided: Decided | None = None
    resolution: Resolution | None = None
    closed: CloseReason | None = None
    reason: str | None = None
    replaced_by: str | None = None
    doubtful_requests: frozenset[str] = frozenset()  # request ids whose delivery was in doubt: never pressed again


class GateBook(Protocol):
    """The gates, durable when a call returns. Implemented over storage; the resolver holds the agent's lock."""

    async def find(self, gate_id: str) -> GateRecord | None:
        """The gate with this id, open or past (past ones for as long as the run's journal is there)."""
        ...

    async def head(self, agent_id: str) -> Gate | None:
        """The agent's pendingGate: the oldest that is not closed."""
        ...

    async def open_gates(self, agent_id: str) -> tuple[GateRecord, ...]:
        """Every gate of the agent that is not closed, oldest first, as after a restart."""
        ...

    async def put(self, gate: Gate) -> None:
        """Add a new open gate at the end of its agent's queue (pendingGate, queuedGates)."""
        ...

    async def replace(self, old: Gate, new: Gate) -> None:
        """Put ``new`` in the place of ``old`` in the queue, in one step."""
        ...

    async def clear(self, gate: Gate) -> None:
        """Take the gate out of the queue; the next one becomes pendingGate. Harmless when it is out already."""
        ...

    async def journal(self, gate: Gate, entry: GateEntry) -> None:
        """Append to the journal of the gate's run, on disk before it returns; ``find`` shows it from then on."""
        ...

    async def audit(self, line: AuditLine, gate: Gate) -> None:
        """Append ``line`` with the whole gate in it, secrets masked; a line whose id is there already is left alone."""
        ...

    async def publish(self, event: EventType, gate: Gate, data: Mapping[str, Any]) -> None:
        """Send an event; the book adds the gate's and the agent's views to ``data``."""
        ...

    async def recheck(self, gate: Gate) -> Gate:
        """The same gate seen anew: fingerprint, tier, effects and screen_only computed from what is there now."""
        ...

    async def follow_up(self, gate: Gate, text: str) -> Literal["delivered", "queued", "dropped"]:
        """A message for the agent once the question is gone; ``dropped`` where it takes no prose (a plain shell)."""
        ...

    def runtime(self, agent_id: str) -> Runtime | None:
        """The living agent, or None."""
        ...

    def agent_name(self, agent_id: str) -> str:
        """Its name, for sentences."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRequest:
    """One decision on one gate, from voice, page, CLI, terminal or policy. ``via`` comes from the kind of token."""

    gate_id: str
    agent_id: str
    decision: Decision
    via: Via
    custom_input: str | None = None  # custom: the text; reject: a reason for the agent
    request_id: str | None = None
    voice_session: str | None = None
    policy_rule: str | None = None  # the rule that answers, for via policy
    details: dict[str, str] = field(default_factory=dict)


class Consent(Protocol):
    """What the resolver asks of the keeper of spoken approvals (``engine.gates.consent.VoiceSessions``)."""

    def approve(self, session: str | None, gate: Gate) -> str:
        """Spend the approval of this gate and return its words verbatim, or raise ConsentRefused."""
        ...

    async def grace(self, session: str | None, gate: Gate) -> None:
        """Wait the time in which "no, wait" still counts; raises ConsentRefused("negated") when it was said."""
        ...

    def confirm(self, session: str | None, gate: Gate) -> None:
        """Raise ConsentRefused("negated") when the approval was taken back since it was spent."""
        ...

    def refuse(self, subject_id: str) -> None:
        """It was rejected: approvals of it that are not delivered yet are void."""
        ...

    def forget(self, subject_id: str) -> None:
        """It was decided, changed or closed: its readings and approvals are gone."""
        ...

    def needs_approval(self, gate: Gate, text: str) -> bool:
        """Whether spoken own text needs the user's approval too; ConsentRefused when it would pick a choice."""
        ...


def record_of(gate: Gate, entries: tuple[GateEntry, ...]) -> GateRecord:
    """Replay a gate's journal; entries of other gates are passed over."""
    record = GateRecord(gate=gate, state="open")
    for entry in entries:
        if entry.gate_id == gate.id:
            record = _after(record, entry)
    return record


def _after(record: GateRecord, entry: GateEntry) -> GateRecord:
    doubtful = record.doubtful_requests
    if entry.type == "gate_reopened" and record.decided and record.decided.request_id:
        doubtful |= {record.decided.request_id}
    return GateRecord(
        gate=record.gate,
        state=STATE_AFTER[entry.type],
        decided=None if entry.type == "gate_reopened" else entry.decided or record.decided,
        resolution=entry.resolution or record.resolution,
        closed=entry.closed or record.closed,
        reason=entry.reason or record.reason,
        replaced_by=entry.replaced_by or record.replaced_by,
        doubtful_requests=doubtful,
    )
