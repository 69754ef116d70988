"""Starts lives of agents on this machine, and finds those that survived the engine."""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from engine.domain.errors import ConduitError, Unavailable
from engine.ports.clock import Clock
from engine.ports.runtime import Exited, Launch, Reader, Runtime
from engine.runtimes import catalog, recording, spawning
from engine.runtimes.acp import AcpRuntime, too_early
from engine.runtimes.claude_hooks.desk import HookDesk
from engine.runtimes.claude_hooks.keeping import Kept
from engine.runtimes.claude_hooks.runtime import ClaudeRuntime
from engine.runtimes.codex import CodexRuntime, prepared
from engine.runtimes.holder.protocol import OUTPUT
from engine.runtimes.link import Link, LinkLost, last_words
from engine.runtimes.piped import PipedRuntime
from engine.runtimes.pty import SETTLE, PtyRuntime, sweep
from engine.runtimes.trees import Trees

_BEFORE = 1024 * 1024  # bytes before the point of adoption that the screen is drawn from


class LocalRuntimes:
    """Implements :class:`engine.ports.runtime.Runtimes`."""

    def __init__(
        self,
        reader: Reader,
        clock: Clock,
        *,
        python: str = sys.executable,
        settle: float = SETTLE,
        hooks: HookDesk | None = None,
    ) -> None:
        self._hooks = hooks
        self._reader = reader
        self._clock = clock
        self._python = python
        self._settle = settle
        self.trees = Trees()

    async def start(self, launch: Launch) -> Runtime:
        """Start an agent behind a fresh holder; Unavailable with the reason when it does not run."""
        if launch.runtime == "codex":
            return await self._start_codex(launch)
        if launch.runtime == "acp":
            return await self._start_acp(launch)
        launch, kept = self._prepare(launch)
        link = await self._spawn(launch)
        terminal = self._terminal(launch, link, 0, 0, kept)
        terminal.begin()
        return terminal

    async def adopt(self, launch: Launch, read_from: int) -> Runtime | None:
        """Re-attach to the holder of this run. None when it is gone: then nothing of its tree is left either."""
        try:
            link = await Link.connect(launch.control)
        except LinkLost:
            await asyncio.to_thread(sweep, launch.run_id)
            return None
        if link.hello["run"] != launch.run_id:
            await link.close()
            return None
        self.trees.note(launch.run_id, int(link.hello["guard"]))
        oldest, _ = await asyncio.to_thread(recording.span, launch.control / OUTPUT)
        live_from = int(link.hello["offset"])
        if link.hello["mode"] == "pipes":
            kind = CodexRuntime if launch.runtime == "codex" else AcpRuntime
            piped = kind(launch, link, said_from=read_from, live_from=live_from)
            piped.begin(oldest)
            return piped
        kept = self._hooks.readopt(launch) if self._hooks is not None and launch.runtime == "claude" else None
        terminal = self._terminal(launch, link, read_from, live_from, kept)
        terminal.begin(max(oldest, read_from - _BEFORE))
        return terminal

    @staticmethod
    def last_words(control: Path) -> Exited:
        """How the latest agent of a control folder ended; code None when it was lost."""
        ended = last_words(control)
        return Exited(ended.code, ended.reason)

    async def _spawn(self, launch: Launch) -> Link:
        await spawning.spawn(launch, self._python, "pty" if launch.runtime in ("pty", "claude") else "pipes")
        link = await Link.connect(launch.control)
        self.trees.note(launch.run_id, int(link.hello["guard"]))
        return link

    async def _start_codex(self, launch: Launch) -> Runtime:
        told, thread = prepared(launch)
        runtime = CodexRuntime(replace(launch, argv=told.argv), await self._spawn(told))
        await _opened(runtime, lambda: runtime.open(thread))
        return runtime

    async def _start_acp(self, launch: Launch) -> Runtime:
        early = await asyncio.to_thread(too_early, launch, self._clock.wall())
        if early is not None:
            raise Unavailable(early)
        runtime = AcpRuntime(launch, await self._spawn(launch))
        await _opened(runtime, runtime.open)
        return runtime

    def _prepare(self, launch: Launch) -> tuple[Launch, Kept | None]:
        """What an attempt needs beside its command line: hooks of its own, or the flag that resumes."""
        if launch.runtime == "claude" and self._hooks is not None:
            return self._hooks.prepare(launch)
        entry = catalog.load().find(launch.cli)
        if launch.resume is None or entry is None:
            return launch, None
        more = tuple(part.format(id=launch.resume) for part in entry.resume)
        return replace(launch, argv=(*launch.argv, *more)), None

    def _terminal(
        self, launch: Launch, link: Link, read_from: int, live_from: int, kept: Kept | None = None
    ) -> PtyRuntime:
        entry = catalog.load().find(launch.cli)
        keys = entry.interrupt if entry is not None else ("\x03",)
        trouble = entry.trouble if entry is not None else None
        if kept is None or self._hooks is None:
            return PtyRuntime(
                launch,
                link,
                self._reader,
                self._clock,
                settle=self._settle,
                read_from=read_from,
                live_from=live_from,
                interrupt_keys=keys,
                trouble=trouble,
            )
        runtime = ClaudeRuntime(
            launch,
            link,
            self._reader,
            self._clock,
            kept=kept,
            ask_why=self._hooks.ask_why,
            ended=self._hooks.end,
            settle=self._settle,
            read_from=read_from,
            live_from=live_from,
            interrupt_keys=keys,
            trouble=trouble,
        )
        self._hooks.add(runtime)
        return runtime


async def _opened(runtime: PipedRuntime, greet: Callable[[], Awaitable[None]]) -> None:
    """Read and greet; an agent that does not take the greeting is ended, and its own words say why."""
    runtime.begin()
    try:
        await greet()
    except BaseException as fault:
        said = await runtime.errors() if runtime.over else ""
        with contextlib.suppress(ConduitError):  # the first fault is the one to tell
            await asyncio.shield(runtime.stop())
        await runtime.detach()
        if isinstance(fault, Unavailable) and said:
            raise Unavailable(f"{fault} It printed: {said[-500:]}") from fault
        raise
