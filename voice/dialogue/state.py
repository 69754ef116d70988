"""Where the conversation stands, as one frozen value; its phases move by a table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from voice.dialogue.requests import Request, Say
from voice.understand.intents import Intent

Phase = Literal["asleep", "awake", "choosing", "completing", "undoable", "reading", "deciding"]

# asleep: only a wake phrase counts. choosing: "which one?" was asked. completing: "tell backend what?" was asked.
# undoable: a command was read back and can be cancelled. reading: a gate or plan is being read. deciding: it was.
MOVES: Mapping[Phase, frozenset[Phase]] = {
    "asleep": frozenset(("awake", "reading")),
    "awake": frozenset(("asleep", "choosing", "completing", "undoable", "reading")),
    "choosing": frozenset(("awake", "asleep", "completing", "undoable", "reading")),
    "completing": frozenset(("awake", "asleep", "choosing", "undoable", "reading")),
    "undoable": frozenset(("awake", "asleep", "choosing", "completing", "reading")),
    "reading": frozenset(("awake", "asleep", "deciding", "undoable", "choosing", "completing")),
    "deciding": frozenset(("awake", "asleep", "reading", "undoable", "choosing", "completing")),
}


_LONGEST_TURN = 40.0  # seconds


class IllegalPhase(Exception):
    """A move of the conversation that the table does not allow."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A command that was read back: done when ``due`` has passed (boot seconds; None: not read yet)."""

    request: Request
    say_id: str
    undone: Say  # said when it is cancelled
    shown: Say  # its read-back, for the screen
    due: float | None = None


@dataclass(frozen=True, slots=True)
class ReadingHeld:
    """A gate or plan that is being read, or was: ``receipt`` once it was played to its end."""

    subject: Literal["gate", "plan"]
    id: str
    agent: str
    reading_id: str
    word: str | None
    words: tuple[str, ...]
    refusals: tuple[str, ...]
    say_id: str
    screen_only: bool = False
    receipt: str | None = None
    receipt_at: float | None = None  # boot seconds


NewsKind = Literal["decided", "chat", "status"]


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened; name, id and status where it was an agent's."""

    kind: NewsKind
    agent: str = ""
    id: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The whole conversation. Times are boot seconds."""

    phase: Phase = "awake"
    focus: str | None = None  # project id
    it: tuple[Literal["gate", "plan"], str] | None = None  # what was last read or announced
    reading: ReadingHeld | None = None
    receipts: tuple[ReadingHeld, ...] = ()
    pending: tuple[Pending, ...] = ()
    choices: tuple[Intent, ...] = ()
    incomplete: str = ""
    asked_at: float = 0.0  # when "which one?" or "tell backend what?" was asked
    last_says: tuple[Say, ...] = ()
    more: Say | None = None  # the rest of a long text, read on demand
    last_message: tuple[str, str] | None = None  # id and agent of the message sent last, while it may be queued
    known: frozenset[str] = frozenset()  # gates and plans that were announced, or read
    quiet_until: float = 0.0
    hold_until: float = 0.0  # nothing is announced before
    speaking_since: float | None = None  # when the user began to speak, while they do
    awaiting_reading: tuple[Literal["gate", "plan"], str] | None = None
    engine_up: bool = True
    news: tuple[News, ...] = ()  # what happened since it was last told
    counter: int = 0

    def to(self, phase: Phase) -> "State":
        """Move; staying is allowed, what the table lacks raises :class:`IllegalPhase`."""
        if phase == self.phase:
            return self
        if phase not in MOVES[self.phase]:
            raise IllegalPhase(f"a conversation that is {self.phase} can't become {phase}")
        return replace(self, phase=phase)

    def speaks(self, now: float) -> bool:
        """Whether the user speaks; no turn is that long that a lost microphone could hold everything up."""
        return self.speaking_since is not None and now < self.speaking_since + _LONGEST_TURN

    def receipt_at(self, began_at: float) -> ReadingHeld | None:
        """The latest receipt that was held when speech began."""
        held = [r for r in self.receipts if r.receipt_at is not None and r.receipt_at <= began_at]
        return held[-1] if held else None
