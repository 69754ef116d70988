"""Starts lives of agents on this machine, and finds those that survived the engine."""

import asyncio
import sys
from pathlib import Path

from engine.ports.clock import Clock
from engine.ports.runtime import Exited, Launch, Reader
from engine.runtimes import catalog, recording, spawning
from engine.runtimes.holder.protocol import OUTPUT
from engine.runtimes.link import Link, LinkLost, last_words
from engine.runtimes.pty import SETTLE, PtyRuntime, sweep
from engine.runtimes.trees import Trees

_BEFORE = 1024 * 1024  # bytes before the point of adoption that the screen is drawn from


class LocalRuntimes:
    """Implements :class:`engine.ports.runtime.Runtimes`."""

    def __init__(self, reader: Reader, clock: Clock, *, python: str = sys.executable, settle: float = SETTLE) -> None:
        self._reader = reader
        self._clock = clock
        self._python = python
        self._settle = settle
        self.trees = Trees()

    async def start(self, launch: Launch) -> PtyRuntime:
        """Start an agent behind a fresh holder; Unavailable with the reason when it does not run."""
        await spawning.spawn(launch, self._python)
        link = await Link.connect(launch.control)
        runtime = self._runtime(launch, link, 0, 0)
        runtime.begin()
        return runtime

    async def adopt(self, launch: Launch, read_from: int) -> PtyRuntime | None:
        """Re-attach to the holder of this run. None when it is gone: then nothing of its tree is left either."""
        try:
            link = await Link.connect(launch.control)
        except LinkLost:
            await asyncio.to_thread(sweep, launch.run_id)
            return None
        if link.hello["run"] != launch.run_id:
            await link.close()
            return None
        oldest, _ = await asyncio.to_thread(recording.span, launch.control / OUTPUT)
        runtime = self._runtime(launch, link, read_from, int(link.hello["offset"]))
        runtime.begin(max(oldest, read_from - _BEFORE))
        return runtime

    @staticmethod
    def last_words(control: Path) -> Exited:
        """How the latest agent of a control folder ended; code None when it was lost."""
        ended = last_words(control)
        return Exited(ended.code, ended.reason)

    def _runtime(self, launch: Launch, link: Link, read_from: int, live_from: int) -> PtyRuntime:
        entry = catalog.load().find(launch.cli)
        self.trees.note(launch.run_id, int(link.hello["guard"]))
        keys = entry.interrupt if entry is not None else ("\x03",)
        return PtyRuntime(
            launch,
            link,
            self._reader,
            self._clock,
            settle=self._settle,
            read_from=read_from,
            live_from=live_from,
            interrupt_keys=keys,
        )
