"""What the conversation asks to be done, as plain values; :mod:`voice.dialogue.actions` does it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ReportHeard:
    """Tell the engine every utterance; ``receipt``: the latest held when its speech began; ``score``: on the sound."""

    text: str
    confidence: float
    receipt: str | None
    score: tuple[str, ...] = ()
    act_on_verdict: bool = False
    others: tuple[tuple[str, float], ...] = ()  # less likely readings of the same sound, for the engine to judge
    decides: bool = False  # a decision follows it, whose failure is said


@dataclass(frozen=True, slots=True)
class ReadAloud:
    """Begin a reading of a gate or plan."""

    subject: Literal["gate", "plan"]
    id: str


@dataclass(frozen=True, slots=True)
class ConfirmPlayed:
    """A reading was played to its end."""

    reading_id: str


@dataclass(frozen=True, slots=True)
class ResolveGate:
    """Decide a gate; approvals are judged by the engine."""

    project_id: str
    agent_id: str
    agent: str
    gate_id: str
    decision: Literal["approve", "reject", "custom"]
    text: str | None = None
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class ResolvePlan:
    """Decide a plan; approvals are judged by the engine."""

    project_id: str
    plan_id: str
    number: int
    agent: str
    decision: Literal["approve", "reject"]
    reason: str | None = None
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Tell:
    """Send a message to an agent, word for word."""

    project_id: str
    agent_id: str
    agent: str
    text: str
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class CancelMessage:
    """Take back a message that is still queued."""

    message_id: str
    agent: str


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Send a message to every agent of a project."""

    project_id: str
    project: str
    text: str


@dataclass(frozen=True, slots=True)
class RunAgent:
    """Start, stop or restart an agent."""

    verb: Literal["start", "stop", "restart"]
    project_id: str
    agent_id: str
    agent: str


@dataclass(frozen=True, slots=True)
class RunSession:
    """Take a session up again, or halt it; ``session`` is its id and ``name`` what people call it."""

    verb: Literal["resume", "halt"]
    session: str
    name: str
    agent: str


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What is approved without asking."""


@dataclass(frozen=True, slots=True)
class FetchOutput:
    """The settled screen of an agent."""

    project_id: str
    agent_id: str
    agent: str


@dataclass(frozen=True, slots=True)
class FetchChat:
    """The latest lines of a project's chat."""

    project_id: str
    project: str


@dataclass(frozen=True, slots=True)
class PostNote:
    """A note of the user in the project's chat."""

    project_id: str
    project: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeManner:
    """Speak faster or slower, louder or softer, by factors; ``plain`` goes back to what the settings say first."""

    speed: float = 1.0
    volume: float = 1.0
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Silence:
    """Stop speaking now."""


Request = (
    ReportHeard
    | ReadAloud
    | ConfirmPlayed
    | ResolveGate
    | ResolvePlan
    | Tell
    | CancelMessage
    | Broadcast
    | RunAgent
    | RunSession
    | FetchPolicy
    | FetchOutput
    | FetchChat
    | PostNote
    | ChangeManner
    | Silence
)

Urgency = Literal["reply", "gate", "plan", "news"]


@dataclass(frozen=True, slots=True)
class Say:
    """Something to be spoken: a phrase by its key, with its values; ``id`` is told again when it was played."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    urgency: Urgency = "reply"
    id: str = ""
