"""What the two careful conversations at a terminal need: see it, wait for it, type at it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.domain.gates import Question
from engine.ports.clock import Clock
from engine.ports.runtime import InputLine, Reader, Screen

_GAP = 0.12  # seconds between two writes; some agents take closer ones for a paste
_SETTLE_LIMIT = 2.0  # seconds to wait for a screen that does not settle


@dataclass(frozen=True, slots=True)
class Desk:
    """One agent's terminal, as seen by whoever types at it."""

    cli: str
    cwd: str
    reader: Reader
    clock: Clock
    screen: Callable[[], Screen]
    settled: Callable[[float], Awaitable[bool]]  # wait for the next settled screen, at most so many seconds
    type: Callable[[bytes], Awaitable[None]]  # Conflict while the tree is frozen

    def questions(self) -> tuple[Question, ...]:
        """The live questions on the screen."""
        return self.reader.questions(self.screen(), self.cli, self.cwd)

    def input_line(self) -> InputLine | None:
        """The input line, unless a question is live: then there is none."""
        return None if self.questions() else self.reader.input_line(self.screen(), self.cli)

    async def look(self) -> bool:
        """Wait for a settled screen."""
        return await self.settled(_SETTLE_LIMIT)

    async def press(self, text: str) -> None:
        """One write, then a gap and a settled screen."""
        await self.type(text.encode())
        await self.clock.sleep(_GAP)
        await self.look()
