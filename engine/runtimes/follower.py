"""Follows a holder's output: feeds the screen, tells what was printed, and says when the screen has settled."""

import asyncio
import logging
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

from engine.ports.runtime import Exited, Output, Screen, Settled, Signal
from engine.runtimes.link import Ended, Frame, Gap, Link
from engine.runtimes.screen import Emulator

_log = logging.getLogger(__name__)
_SLICE = 16 * 1024  # bytes fed before others get their turn
_BACKLOG = 512 * 1024  # bytes; with more waiting the socket is not read, and the holder keeps it on disk
_SKIP_FROM = 8 * 1024  # bytes of backlog from which a flood is skipped
_QUEUED = 512  # signals; beyond it Output is left out (its offsets show it; replay has the bytes)
_RESTLESS = 0.5  # seconds between two Settled while only a spinner moves
_SYNC_LIMIT = 1.0  # seconds that a program may claim to be in the middle of drawing
_SPINNER = re.compile(r"[⠀-⣿✳✶✻✽✢·∗*◐◓◑◒◴◷◶◵|/\\\-]|\d+(?:\.\d+)?(?:ms|s|m|h|k|%)?|[…]")


def still(screen: Screen) -> tuple[str, ...]:
    """The text without what a spinner changes: its signs, counters and times."""
    return tuple(_SPINNER.sub("", line).rstrip() for line in screen.lines)


class Mailbox:
    """Signals on their way to one consumer; never blocks, and is bounded however slow the consumer is."""

    def __init__(self) -> None:
        self._items: deque[Signal] = deque()
        self._some = asyncio.Event()

    def put(self, signal: Signal) -> None:
        """Add one. Past the cap Output is left out (offsets show it) and the latest Settled replaces one before it."""
        if len(self._items) >= _QUEUED:
            if isinstance(signal, Output):
                return
            if isinstance(signal, Settled) and isinstance(self._items[-1], Settled):
                self._items.pop()
        self._items.append(signal)
        self._some.set()

    async def get(self) -> Signal:
        """Wait for the next."""
        while not self._items:
            self._some.clear()
            await self._some.wait()
        return self._items.popleft()


class Follower:
    """The reading half of a terminal runtime. ``task`` runs from :meth:`start` to the agent's end or :meth:`close`."""

    def __init__(
        self,
        link: Link,
        emulator: Emulator,
        settle: float,
        tell_from: int,  # offset from which Output is told
        live_from: int,  # offset from which queries are answered: those before were, or nobody waits any more
        respond: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._link = link
        self._emulator = emulator
        self._settle = settle
        self._tell_from = tell_from
        self._live_from = live_from
        self._respond = respond
        self._pending: deque[bytes] = deque()
        self._waiting = 0
        self._room = asyncio.Event()
        self._arrived = asyncio.Event()
        self._signals = Mailbox()
        self._ended: Ended | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._settled_at = -1  # offset of the latest Settled
        self._settlings = 0
        self._condition = asyncio.Condition()
        self._exited = asyncio.Event()
        self._still: tuple[str, ...] = ()
        self._told_at = 0.0
        self.repaint: Callable[[], Awaitable[None]] | None = None

    def start(self, offset: int) -> None:
        """Begin to follow at ``offset``."""
        self._emulator.offset = offset
        self._tasks = [asyncio.create_task(self._receive(offset)), asyncio.create_task(self._digest())]
        self._tasks[1].add_done_callback(self._digested)

    async def close(self) -> None:
        """Stop following."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def signals(self) -> AsyncIterator[Signal]:
        """What happens, in order; ends after Exited."""
        while True:
            signal = await self._signals.get()
            yield signal
            if isinstance(signal, Exited):
                return

    def add(self, signal: Signal) -> None:
        """Tell something that another source than the output knows."""
        self._signals.put(signal)

    async def exited(self) -> Exited:
        """Wait for the end."""
        await self._exited.wait()
        ended = self._ended or Ended(None, "unknown")
        return Exited(ended.code, ended.reason)

    @property
    def over(self) -> bool:
        return self._exited.is_set()

    async def settled(self, limit: float, fresh: bool = True) -> bool:
        """Wait until the screen settles (once more, if ``fresh``); False when it did not within ``limit`` seconds."""
        before = self._settlings if fresh else -1
        if not fresh and self._is_settled():
            return True
        self._arrived.set()  # a screen that does not change settles too
        self._settled_at = -1 if fresh else self._settled_at
        try:
            async with asyncio.timeout(limit), self._condition:
                await self._condition.wait_for(lambda: self._settlings > before or self.over)
        except TimeoutError:
            return False
        return not self.over

    def _is_settled(self) -> bool:
        return self._settled_at == self._emulator.offset and not self._pending

    # the socket

    async def _receive(self, offset: int) -> None:
        ended = Ended(None, "the engine lost its holder")
        try:
            async for frame in self._link.frames(offset):
                if isinstance(frame, Ended):
                    ended = frame
                    break
                await self._take(frame)
        finally:
            self._ended = ended
            self._arrived.set()

    async def _take(self, frame: Frame) -> None:
        if isinstance(frame, Gap):
            await self._lost(frame.to)
        elif isinstance(frame, Output):
            self._tell(frame)
            self._pending.append(frame.data)
            self._waiting += len(frame.data)
            self._arrived.set()
            while self._waiting > _BACKLOG:
                self._room.clear()
                await self._room.wait()

    def _tell(self, output: Output) -> None:
        end = output.offset + len(output.data)
        if end <= self._tell_from:
            return
        cut = max(0, self._tell_from - output.offset)
        self._signals.put(Output(output.offset + cut, output.data[cut:]))

    async def _lost(self, offset: int) -> None:
        """Output is missing for good: the screen starts empty, and the program is asked to draw it again."""
        self._pending.clear()
        self._waiting = 0
        self._emulator.reset()
        self._emulator.offset = offset
        if self.repaint is not None:
            await self.repaint()

    # the screen

    def _digested(self, task: asyncio.Task[None]) -> None:
        """The end is told even when the reader itself failed: silence would look like an agent at work."""
        if task.cancelled():
            return
        error = task.exception()
        ended = self._ended or Ended(None, "unknown")
        if error is not None:
            _log.error("The reader of a terminal failed", exc_info=error)
            ended = Ended(None, "the engine cannot read its terminal any more; restart the engine to see it again")
        self._ended = ended
        self._signals.put(Exited(ended.code, ended.reason))
        self._exited.set()

    async def _digest(self) -> None:
        while self._ended is None or self._pending:
            try:
                async with asyncio.timeout(self._pause()):
                    await self._arrived.wait()
            except TimeoutError:
                await self._settle_now()
                continue
            self._arrived.clear()
            while self._pending:
                await self._feed_some()
        await self._settle_now()

    def _pause(self) -> float | None:
        if self._settled_at == self._emulator.offset:
            return None
        return _SYNC_LIMIT if self._emulator.synchronized else self._settle

    async def _feed_some(self) -> None:
        if self._waiting > _SKIP_FROM:
            self._skip()
        data = self._pending.popleft()
        if len(data) > _SLICE:
            self._pending.appendleft(data[_SLICE:])
            data = data[:_SLICE]
        self._waiting -= len(data)
        live = self._emulator.offset >= self._live_from
        self._emulator.feed(data)
        answers = self._emulator.responses()
        if answers and live:
            await self._respond(answers)
        self._room.set()
        await asyncio.sleep(0)
        await self._settle_while_restless()

    def _skip(self) -> None:
        data = b"".join(self._pending)
        count = self._emulator.skippable(data)
        if count:
            self._emulator.skip(count)
        self._pending = deque([data[count:]])
        self._waiting = len(data) - count

    async def _settle_while_restless(self) -> None:
        """A spinner never pauses: the screen is settled all the same when nothing else moved for a while."""
        now = asyncio.get_running_loop().time()
        if self._pending or now - self._told_at < _RESTLESS or self._emulator.synchronized:
            return
        seen = still(self._emulator.screen())
        if seen == self._still:
            await self._settle_now()
        self._still, self._told_at = seen, now

    async def _settle_now(self) -> None:
        screen = self._emulator.screen()
        self._settled_at = self._emulator.offset
        self._settlings += 1
        self._told_at = asyncio.get_running_loop().time()
        self._still = still(screen)
        self._signals.put(Settled(screen))
        async with self._condition:
            self._condition.notify_all()
