"""An agent that speaks in lines over its pipes, behind a holder: all that does not depend on what is spoken."""

import asyncio
import contextlib
import logging
from abc import abstractmethod
from collections.abc import AsyncIterator

from engine.domain.errors import BadRequest, ConduitError, Conflict, Unavailable
from engine.domain.gates import KillHeld, Proceed, Question, Reply, Structured
from engine.ports.runtime import Answered, Exited, Launch, Screen, Signal
from engine.runtimes import recording
from engine.runtimes.follower import Mailbox
from engine.runtimes.holder.protocol import ERRORS, OUTPUT
from engine.runtimes.jsonlines import Json, Line, Splitter, encode
from engine.runtimes.link import Ended, Frame, Gap, Link, LinkLost
from engine.runtimes.patience import LIMIT, Patience
from engine.runtimes.pty import sweep
from engine.runtimes.scroll import Scroll

_REDRAW = 256 * 1024  # bytes
_REPLAY_LIMIT = 8 * 1024 * 1024  # bytes of one replay
_GRACE = 3.0  # seconds between TERM and KILL
_END_LIMIT = 15.0  # seconds for the last words after that
_ERRORS = 4000  # bytes of what it printed on standard error that are looked at
_log = logging.getLogger(__name__)


class PipedRuntime:
    """The common half of structured :class:`engine.ports.runtime.Runtime` s; subclasses say what a line means.

    ``live_from``: offset up to which the output is a replay of what an earlier engine has read. State is rebuilt from
    it; nothing is told of it but what still holds at its end. ``said_from``: offset from which the transcript is told.
    """

    liveness_only = False
    title = "The agent"

    def __init__(self, launch: Launch, link: Link, *, said_from: int = 0, live_from: int = 0) -> None:
        self.launch = launch
        self._link = link
        self._said_from = said_from
        self._live_from = live_from
        self._splitter = Splitter()
        self._mailbox = Mailbox()
        self._scroll = Scroll(launch.rows, launch.cols)
        self._exited = asyncio.Event()
        self._ended: Ended | None = None
        self._lock = asyncio.Lock()
        self._patience = Patience(self._model_is_silent)
        self._reader: asyncio.Task[None] | None = None
        self._following = asyncio.Event()
        self._unsent: list[Json] = []  # what could not be written while the tree was frozen
        self._chores: set[asyncio.Task[None]] = set()

    # what a subclass says

    @abstractmethod
    def _take(self, message: Json) -> None:
        """One message, in order; replayed ones too. Must not wait."""

    @abstractmethod
    def _caught_up(self) -> None:
        """The replay is over: tell what still holds."""

    @abstractmethod
    async def _deliver(self, reply: Structured, question: Question) -> Answered:
        """Write one answer and see it taken; the tree runs."""

    def _over(self) -> None:
        """The agent ended: nothing will be answered any more."""

    # life

    def begin(self, replay_from: int = 0) -> None:
        """Start to read."""
        if self._live_from <= replay_from:
            self._following.set()
        self._reader = asyncio.create_task(self._read(replay_from), name=f"lines of {self.launch.cli}")

    async def caught_up(self) -> None:
        """Wait until the replay is over."""
        await self._following.wait()

    async def signals(self) -> AsyncIterator[Signal]:
        """What happens, in order; ends after Exited. One consumer."""
        while True:
            signal = await self._mailbox.get()
            yield signal
            if isinstance(signal, Exited):
                return

    async def freeze(self) -> int:
        """Stop the whole tree; Unavailable when something in it could not be stopped."""
        self._patience.pause()
        done = await self._link.ask("freeze")
        if not done["verified"]:
            raise Unavailable("Not every process of the agent could be stopped. Stop the agent to be safe.")
        return len(done["pids"])

    async def thaw(self) -> None:
        """Let every process go on."""
        await self._link.ask("thaw")
        waiting, self._unsent = self._unsent, []
        for message in waiting:
            await self._send(message)

    async def frozen(self) -> bool:
        """Whether the whole tree is stopped right now."""
        return bool((await self._link.ask("status"))["frozen"])

    async def answer(self, reply: Reply, question: Question) -> Answered:
        """Deliver one answer; Conflict, and frozen again, when the agent does not wait for it any more."""
        async with self._lock:
            if isinstance(reply, Proceed):
                await self.thaw()
                return Answered("let it go on", True)
            if isinstance(reply, KillHeld):
                done = await self._link.ask("kill_held", command=question.command)
                await self.thaw()
                return Answered(f"ended the held command ({len(done['pids'])} processes)", True)
            if not isinstance(reply, Structured):
                raise BadRequest(f"{self.title} has no terminal: it is not answered by keys.")
            return await self._thaw_and_deliver(reply, question)

    async def _thaw_and_deliver(self, reply: Structured, question: Question) -> Answered:
        await self.thaw()
        try:
            return await self._deliver(reply, question)
        except Conflict:
            raise
        except BaseException:  # also when the caller gives up: an open question never runs on unanswered
            await asyncio.shield(self.freeze())
            raise

    async def write(self, data: bytes) -> None:
        """There is no terminal to type at."""
        raise BadRequest(f"{self.title} has no terminal; send it a message instead.")

    async def resize(self, rows: int, cols: int) -> None:
        """There is no terminal; nothing changes."""

    async def replay(self, after: int | None = None) -> tuple[int, bytes]:
        """The lines as they were spoken, kept on disk: at most 8 MB of it; ask again from where it ends."""
        folder = self.launch.control / OUTPUT
        if after is None:
            _, end = await asyncio.to_thread(recording.span, folder)
            after = max(0, end - _REDRAW)
        return await asyncio.to_thread(recording.read, folder, after, _REPLAY_LIMIT)

    def screen(self) -> Screen:
        """What was said and done, as text."""
        return self._scroll.screen()

    async def stop(self) -> Exited:
        """End the whole tree, verified; a frozen one is killed, never continued."""
        with contextlib.suppress(LinkLost):  # gone already: its guard kills the tree, which is verified below
            await self._link.ask("kill", grace=_GRACE, why="stopped")
        try:
            async with asyncio.timeout(_END_LIMIT):
                await self._exited.wait()
        except TimeoutError as error:
            raise Unavailable("Not every process of the agent has ended yet. Try to stop it again.") from error
        await asyncio.to_thread(sweep, self.launch.run_id)
        return self._last_words()

    async def detach(self) -> None:
        """Let go; the agent goes on."""
        self._patience.end()
        tasks = [*self._chores, *([self._reader] if self._reader is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._link.close()

    async def errors(self) -> str:
        """The end of what the agent printed on standard error."""
        folder = self.launch.control / ERRORS
        _, end = await asyncio.to_thread(recording.span, folder)
        _, data = await asyncio.to_thread(recording.read, folder, max(0, end - _ERRORS), _ERRORS)
        return data.decode("utf-8", "replace").strip()

    # reading

    async def _read(self, offset: int) -> None:
        ended = Ended(None, "the engine lost its holder")
        self._scroll.offset = offset
        try:
            async for frame in self._link.frames(offset):
                if isinstance(frame, Ended):
                    ended = frame
                    break
                self._digest(frame)
                await asyncio.sleep(0)
        finally:
            self._ended = ended
            self._patience.end()
            self._following.set()
            self._exited.set()
            self._over()
            self._tell(Exited(ended.code, ended.reason))

    def _digest(self, frame: Frame) -> None:
        if isinstance(frame, Gap):
            self._splitter.lost()
            self._scroll.offset = frame.to
        elif not isinstance(frame, Ended):
            for line in self._splitter.feed(frame.offset, frame.data):
                self._line(line)
            self._scroll.offset = frame.offset + len(frame.data)
        self._follow()

    def _follow(self) -> None:
        if not self._following.is_set() and self._scroll.offset >= self._live_from:
            self._following.set()
            self._caught_up()

    def _line(self, line: Line) -> None:
        self._scroll.offset = line.end
        if line.message is None:
            _log.warning("%s printed a line that is no message: %.200s", self.launch.cli, line.text)
            return
        try:
            self._take(line.message)
        except (KeyError, TypeError, ValueError, AttributeError) as fault:  # of another version, perhaps
            _log.error("%s said something that is not understood (%r): %.500s", self.launch.cli, fault, line.text)

    # telling

    @property
    def _live(self) -> bool:
        """Whether what is read now is news, rather than a replay."""
        return self._following.is_set()

    @property
    def over(self) -> bool:
        """Whether the agent has ended."""
        return self._exited.is_set()

    def _tell(self, signal: Signal) -> None:
        self._mailbox.put(signal)

    def _last_words(self) -> Exited:
        ended = self._ended or Ended(None, "unknown")
        return Exited(ended.code, ended.reason)

    async def _send(self, message: Json) -> None:
        """Write one message; Conflict while frozen."""
        await self._link.write(encode(message))

    def _send_soon(self, message: Json) -> None:
        """The same for callers who can't wait; while frozen it is kept until the thaw."""
        chore = asyncio.create_task(self._send_or_keep(message))
        self._chores.add(chore)
        chore.add_done_callback(self._chores.discard)

    async def _send_or_keep(self, message: Json) -> None:
        try:
            await self._send(message)
        except Conflict:
            self._unsent.append(message)
        except (ConduitError, OSError) as fault:
            _log.error("%s could not be told %.200s: %s", self.launch.cli, message, fault)

    @abstractmethod
    def _model_is_silent(self) -> None:
        """Nothing was heard of the model for :data:`LIMIT` seconds."""

    def _silence(self) -> str:
        return (
            f"{self.title} has heard nothing from its model for {LIMIT:.0f} seconds."
            " Its model or the network may be down; it goes on trying until it is interrupted."
        )
