"""A terminal agent behind its holder. One lock makes one writer; a freeze never waits for it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from engine.domain.errors import BadRequest, ConduitError, Conflict, Unavailable
from engine.domain.gates import KillHeld, Proceed, Question, Reply, Structured
from engine.ports.clock import Clock
from engine.ports.runtime import Answered, Exited, Launch, Reader, Screen, Settled, Signal, Told
from engine.runtimes import answering, processes, recording, telling, tree
from engine.runtimes.desk import Desk
from engine.runtimes.follower import Follower
from engine.runtimes.holder.protocol import OUTPUT
from engine.runtimes.link import Link, LinkLost
from engine.runtimes.screen import Emulator
from engine.runtimes.trouble import Trouble

SETTLE = 0.08  # seconds without output after which a screen can be read
_REDRAW = 256 * 1024  # bytes that are enough to draw the screen again
_REPLAY_LIMIT = 8 * 1024 * 1024  # bytes of one replay
_GRACE = 3.0  # seconds between TERM and KILL
_END_LIMIT = 15.0  # seconds for the last words after that


class PtyRuntime:
    """Implements :class:`engine.ports.runtime.Runtime` over a :class:`Link`."""

    def __init__(
        self,
        launch: Launch,
        link: Link,
        reader: Reader,
        clock: Clock,
        *,
        settle: float = SETTLE,
        read_from: int = 0,
        live_from: int = 0,
        interrupt_keys: tuple[str, ...] = ("\x03",),
        liveness_only: bool = True,
        trouble: str | None = None,
    ) -> None:
        self._trouble = Trouble(trouble)
        self.launch = launch
        self.liveness_only = liveness_only
        self._link = link
        self._clock = clock
        self._interrupt_keys = interrupt_keys
        self._lock = asyncio.Lock()
        self._emulator = Emulator(int(link.hello["rows"]), int(link.hello["cols"]))
        self._follower = Follower(link, self._emulator, settle, read_from, live_from, self._respond)
        self._follower.repaint = self._repaint
        self._desk = Desk(
            launch.cli, str(launch.cwd), reader, clock, self.screen, self._follower.settled, self._link.write
        )

    def begin(self, replay_from: int = 0) -> None:
        """Start to follow the output, so that the screen is right from there on."""
        self._follower.start(replay_from)

    async def signals(self) -> AsyncIterator[Signal]:
        """What happens, in order; ends after Exited. One consumer."""
        async for signal in self._follower.signals():
            yield signal
            notice = self._trouble.see(signal.screen) if isinstance(signal, Settled) else None
            if notice is not None:
                yield notice

    def screen(self) -> Screen:
        """The screen as it is now, settled or not."""
        return self._emulator.screen()

    async def freeze(self) -> int:
        """Stop the whole tree; Unavailable when something in it could not be stopped."""
        done = await self._link.ask("freeze")
        if not done["verified"]:
            raise Unavailable("Not every process of the agent could be stopped. Stop the agent to be safe.")
        return len(done["pids"])

    async def thaw(self) -> None:
        """Throw away what was typed meanwhile, then let every process go on."""
        await self._link.ask("thaw")

    async def frozen(self) -> bool:
        """Whether the whole tree is stopped right now."""
        return bool((await self._link.ask("status"))["frozen"])

    async def answer(self, reply: Reply, question: Question) -> Answered:
        """Deliver one answer; Conflict, and frozen again, when the screen asks something else by now."""
        if isinstance(reply, Structured):
            raise BadRequest(f"The agent {self.launch.cli} is a terminal: it is answered by keys.")
        async with self._lock:
            if isinstance(reply, Proceed):
                await self.thaw()
                return Answered("let it go on", True)
            if isinstance(reply, KillHeld):
                return await self._kill_held(question)
            await self._thaw_and_look(question)
            return await answering.press(self._desk, reply, question)

    async def _kill_held(self, question: Question) -> Answered:
        done = await self._link.ask("kill_held", command=question.command)
        await self.thaw()
        return Answered(f"ended the held command ({len(done['pids'])} processes)", True)

    async def _thaw_and_look(self, question: Question) -> None:
        await self.thaw()
        try:
            await answering.look_again(self._desk, question)
        except BaseException:  # also when the caller gives up: an open question never runs on unanswered
            await asyncio.shield(self.freeze())
            raise

    async def tell(self, text: str) -> Told:
        """Type and submit a message where an input line is seen; else ``not_ready``."""
        async with self._lock:
            if self._follower.over:
                return "not_ready"
            return await telling.tell(self._desk, text)

    async def interrupt(self) -> None:
        """Stop the present turn by the agent's own keys."""
        async with self._lock:
            for key in self._interrupt_keys:
                await self._link.write(key.encode())
                await self._clock.sleep(0.12)

    async def write(self, data: bytes) -> None:
        """Raw keys of a person; Conflict while frozen."""
        async with self._lock:
            await self._link.write(data)

    async def resize(self, rows: int, cols: int) -> None:
        """Change the terminal's size; BadRequest for one that no terminal has."""
        if not (1 <= rows <= 1000 and 1 <= cols <= 1000):
            raise BadRequest("A terminal has 1 to 1000 rows and columns.")
        await self._link.ask("resize", rows=rows, cols=cols)
        self._emulator.resize(rows, cols)

    async def replay(self, after: int | None = None) -> tuple[int, bytes]:
        """Output kept on disk, at most 8 MB of it; ask again from where it ends."""
        folder = self.launch.control / OUTPUT
        if after is None:
            _, end = await asyncio.to_thread(recording.span, folder)
            after = max(0, end - _REDRAW)
        return await asyncio.to_thread(recording.read, folder, after, _REPLAY_LIMIT)

    async def stop(self) -> Exited:
        """End the whole tree, verified; a frozen one is killed, never continued."""
        with contextlib.suppress(LinkLost):  # gone already: its guard kills the tree, which is verified below
            await self._link.ask("kill", grace=_GRACE, why="stopped")
        try:
            async with asyncio.timeout(_END_LIMIT):
                exited = await self._follower.exited()
        except TimeoutError as error:
            raise Unavailable("Not every process of the agent has ended yet. Try to stop it again.") from error
        await asyncio.to_thread(sweep, self.launch.run_id)
        return exited

    async def detach(self) -> None:
        """Let go; the agent goes on."""
        await self._follower.close()
        await self._link.close()

    async def _respond(self, answers: bytes) -> None:
        """Type what a program's query waits for. While frozen nobody waits; at the end nobody is there."""
        with contextlib.suppress(Conflict, LinkLost):
            await self._link.write(answers)

    async def _repaint(self) -> None:
        """A change of size and back makes programs draw everything again."""
        screen = self._emulator.screen()
        rows, cols = len(screen.lines), screen.columns
        with contextlib.suppress(ConduitError):  # the end of the agent is told elsewhere
            await self._link.ask("resize", rows=max(1, rows - 1), cols=cols)
            await self._link.ask("resize", rows=rows, cols=cols)


def sweep(run_id: str) -> int:
    """Kill whatever still bears a run's mark after its holder is gone; returns how many there were."""
    left = processes.marked(run_id)
    tree.kill_these(left)
    return len(left)
