"""Gates: a question of an agent that waits for its user, and what each answer would send."""

from dataclasses import dataclass, field
from typing import Literal

GateSource = Literal["regex", "hook", "acp", "codex", "supervisor"]
Tier = Literal["harmful", "routine"]
Decision = Literal["approve", "reject", "custom"]
Via = Literal["voice", "web", "cli", "terminal", "policy"]
ChoiceKind = Literal["approve", "reject", "always", "other"]
CloseReason = Literal["resolved", "process_lost", "answered_at_terminal", "withdrawn", "agent_stopped"]


@dataclass(frozen=True, slots=True)
class Keys:
    """Keystrokes: each entry is one write, with settling between (text and Enter stay apart)."""

    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Structured:
    """An answer in the protocol of a structured source (hook, ACP, Codex); ``option`` names it."""

    option: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Proceed:
    """Nothing to write: the command was only held, so a thaw lets it go on."""


@dataclass(frozen=True, slots=True)
class KillHeld:
    """The command was only held and must not run: its processes are killed while stopped."""


Reply = Keys | Structured | Proceed | KillHeld


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that the prompt takes, with what it sends. ``always`` is never picked for the user."""

    label: str
    kind: ChoiceKind
    reply: Reply


EffectKind = Literal[
    "delete",
    "overwrite",
    "publish",
    "rewrite_history",
    "drop",
    "destroy",
    "send",
    "install",
    "execute",
    "privilege",
    "configure",
    "stop",
    "escape",
    "unknown",
]
Place = Literal[
    "project", "outside", "home", "root", "system", "temp", "remote", "database", "infrastructure", "unknown"
]
Undo = Literal["yes", "git", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that a command would do, as data; the sentence is made from per-language files."""

    kind: EffectKind
    targets: tuple[str, ...]
    place: Place
    undo: Undo


@dataclass(frozen=True, slots=True)
class Edit:
    """One file that would be changed. ``kind``: add, update, delete or move, as the agent calls it."""

    path: str
    kind: str
    diff: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a source saw: everything about a gate but its identity and time."""

    prompt: str  # exact text
    command: str | None  # exact, when known
    choices: tuple[Choice, ...]
    source: GateSource
    tier: Tier
    effects: tuple[Effect, ...] = ()
    screen_only: str | None = None  # why it may be approved only on a screen
    handle: str | None = None  # the structured source's own id of the pending request
    speakable: bool = True  # False for password prompts: never answered by speech
    may_have_begun: bool = False
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A question that froze its agent and waits for one answer."""

    id: str
    agent_id: str
    project_id: str
    run_id: str
    prompt: str
    command: str | None
    choices: tuple[Choice, ...]
    source: GateSource
    tier: Tier
    fingerprint: str  # SHA-256 hex over command, cwd, branch, choices, source, digests of local scripts
    raised_at: str  # ISO 8601, UTC
    cwd: str = ""
    branch: str | None = None
    effects: tuple[Effect, ...] = ()
    screen_only: str | None = None
    handle: str | None = None
    speakable: bool = True
    may_have_begun: bool = False
    edits: tuple[Edit, ...] = ()


GateState = Literal["open", "answered", "delivered", "closed"]

# The only moves there are. A crash between answered and delivered reopens: it asks again, never presses twice.
GATE_MOVES: dict[GateState, frozenset[GateState]] = {
    "open": frozenset({"answered", "closed"}),
    "answered": frozenset({"delivered", "open", "closed"}),
    "delivered": frozenset({"closed"}),
    "closed": frozenset(),
}


class IllegalMove(Exception):
    """A state change that the table does not allow; nothing was changed."""


def move(current: GateState, to: GateState) -> GateState:
    """Return ``to`` if the table allows it, else raise :class:`IllegalMove`."""
    if to not in GATE_MOVES[current]:
        raise IllegalMove(f"a gate that is {current} cannot become {to}")
    return to


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What a resolve call did: ``action`` is what really reached the agent."""

    gate_id: str
    agent_name: str
    decision: Decision
    via: Via
    action: str
    at: str
    authorising_phrase: str | None = None
    details: dict[str, str] = field(default_factory=dict)
