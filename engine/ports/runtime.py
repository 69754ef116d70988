"""What the engine asks of a running agent, whatever it speaks: a terminal, Codex or ACP."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from engine.domain.gates import Question, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything needed to start one life of an agent behind a holder."""

    run_id: str
    agent_id: str
    cli: str
    argv: tuple[str, ...]
    cwd: Path
    env: dict[str, str]
    control: Path  # agents/runs/<root_id>/: holder socket, output, exit status
    rows: int = 40
    cols: int = 120
    runtime: Literal["pty", "claude", "codex", "acp"] = "pty"  # what it speaks
    resume: str | None = None  # the CLI's saved conversation that this life goes on with


@dataclass(frozen=True, slots=True)
class Screen:
    """A terminal's screen. ``lines`` are right-stripped, save those that run on; the cursor is 0-based."""

    lines: tuple[str, ...]
    cursor_row: int
    cursor_col: int
    cursor_visible: bool
    title: str
    alternate: bool
    bracketed_paste: bool
    columns: int
    wrapped: frozenset[int] = frozenset()  # rows that continue on the next row
    offset: int = 0  # bytes of output that led to it


@dataclass(frozen=True, slots=True)
class Output:
    """Raw bytes that the agent printed, starting at ``offset`` of its output."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Settled:
    """Nothing was printed for the settling time: the screen can be read."""

    screen: Screen


@dataclass(frozen=True, slots=True)
class Asked:
    """A structured source raised a question; ``question.handle`` names the pending request."""

    question: Question


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The pending request is gone; ``why`` says whether a person answered it at the terminal."""

    handle: str
    why: Literal["answered_at_terminal", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Activity:
    """A structured source's own word on what the agent does."""

    state: Literal["working", "ready"]


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of the agent's transcript (structured sources)."""

    role: Literal["agent", "tool", "user"]
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The CLI's own name of the conversation that it keeps, for a later resume."""

    id: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the user has to hear about an agent which goes on, as a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Exited:
    """The agent's process ended. ``code`` is its exit status, negative for a signal, None if it was lost."""

    code: int | None
    reason: str


Signal = Output | Settled | Asked | Withdrawn | Activity | Said | Conversation | Notice | Exited

Told = Literal["delivered", "not_ready"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a reply did: ``action`` says what really reached the agent; ``gone`` whether the question went away."""

    action: str
    gone: bool
    extra: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InputLine:
    """Where a message can be typed: the row of the cursor and what stands in the box already."""

    row: int
    text: str


class Reader(Protocol):
    """Reads a settled screen (pure). Handed to terminal runtimes, so that they can look again before typing."""

    def questions(self, screen: Screen, cli: str, cwd: str) -> tuple[Question, ...]:
        """The questions that are live on this screen, outermost first."""
        ...

    def input_line(self, screen: Screen, cli: str) -> InputLine | None:
        """The input line that would take a message, or None when there is none."""
        ...


class Runtime(Protocol):
    """One life of an agent behind its holder. All input goes through one writer; all calls may be cancelled."""

    launch: Launch
    liveness_only: bool

    def signals(self) -> AsyncIterator[Signal]:
        """What happens, in order; ends after Exited. One consumer."""
        ...

    async def freeze(self) -> int:
        """Stop every process of the tree, again until nothing new appears; how many are stopped (verified)."""
        ...

    async def thaw(self) -> None:
        """Flush the terminal's input queue, then let every process go on."""
        ...

    async def frozen(self) -> bool:
        """Whether every process of the tree is in state T right now."""
        ...

    async def answer(self, reply: Reply, question: Question) -> Answered:
        """Thaw, look again (same question, same choices, else Conflict), write, and look whether it has gone."""
        ...

    async def tell(self, text: str) -> Told:
        """Type a message where an input line is seen on the settled screen, and submit it; else ``not_ready``."""
        ...

    async def interrupt(self) -> None:
        """Stop the present turn, not the agent."""
        ...

    async def stop(self) -> Exited:
        """End every process of the tree, verified. A frozen tree is killed, never continued."""
        ...

    async def write(self, data: bytes) -> None:
        """Raw keys of a person at ``attach``; refused by the service while a gate is open."""
        ...

    async def resize(self, rows: int, cols: int) -> None: ...

    async def replay(self, after: int | None = None) -> tuple[int, bytes]:
        """Output kept on disk from offset ``after`` (None: enough to redraw): (start offset, bytes)."""
        ...

    def screen(self) -> Screen: ...

    async def detach(self) -> None:
        """Let go of the holder without touching the agent (the engine is ending)."""
        ...


@runtime_checkable
class Leads(Protocol):
    """A runtime with two sources for one question: a structured one, which leads, and its screen."""

    async def leads(self, shown: Question) -> bool:
        """Whether the structured source asks what this question on the screen asks (it may take a moment to)."""
        ...


@runtime_checkable
class Remembers(Protocol):
    """A runtime whose agent confirms answers, so that one can be looked for after the engine was away."""

    async def was_answered(self, handle: str) -> bool:
        """Whether the agent has confirmed that this request is over (it may take a moment to)."""
        ...


class Runtimes(Protocol):
    """Starts a life, or finds one that survived the engine."""

    async def start(self, launch: Launch) -> Runtime: ...

    async def adopt(self, launch: Launch, read_from: int) -> Runtime | None:
        """Re-attach to a living holder, reading its output from ``read_from``; None if it is gone."""
        ...
