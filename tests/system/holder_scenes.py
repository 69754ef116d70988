"""Shared by the tests of holders: a reader for the small test agents, launches, and waiting for what is printed."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from engine.domain.gates import Choice, Keys, Question
from engine.ports.clock import SystemClock
from engine.ports.runtime import InputLine, Launch, Screen
from engine.runtimes import processes, tree
from engine.runtimes.manager import LocalRuntimes
from engine.runtimes.pty import PtyRuntime

PROGRAMS = Path(__file__).parent.parent / "programs"
_QUESTION = re.compile(r"^(Run the command (?P<command>.*)\? \(y/n\)) ?(?P<typed>.*)$")
YES = Choice("Yes", "approve", Keys(("y", "\r")))
NO = Choice("No", "reject", Keys(("n", "\r")))


class LineReader:
    """Reads tests/programs/line_agent.py: its question stands on the cursor's row, its input line begins ``> ``."""

    def questions(self, screen: Screen, cli: str, cwd: str) -> tuple[Question, ...]:
        match = _QUESTION.match(screen.lines[screen.cursor_row])
        if match is None:
            return ()
        return (Question(prompt=match[1], command=match["command"], choices=(YES, NO), source="regex", tier="harmful"),)

    def input_line(self, screen: Screen, cli: str) -> InputLine | None:
        row = screen.cursor_row
        while row > 0 and row - 1 in screen.wrapped:
            row -= 1
        text = "".join(screen.lines[row : screen.cursor_row + 1])
        return InputLine(screen.cursor_row, text[2:]) if text.startswith(">") else None


def launch(tmp_path: Path, *argv: str, run_id: str = "run-1", control: Path | None = None, **env: str) -> Launch:
    """A launch of a test program in a folder of its own."""
    return Launch(
        run_id=f"{run_id}-{tmp_path.name}",
        agent_id="a-1",
        cli="test",
        argv=argv,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm-256color", **env},
        control=control or tmp_path / "control",
    )


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """The command line of a program in tests/programs."""
    return (sys.executable, str(PROGRAMS / name), *arguments)


def runtimes() -> LocalRuntimes:
    return LocalRuntimes(LineReader(), SystemClock())


@asynccontextmanager
async def running(order: Launch) -> AsyncIterator[PtyRuntime]:
    """Start, and leave nothing behind whatever happens."""
    runtime = await runtimes().start(order)
    try:
        yield runtime
    finally:
        try:
            await runtime.stop()
        finally:
            await runtime.detach()
            tree.kill_these(processes.marked(order.run_id))


async def shown(runtime: PtyRuntime, text: str) -> None:
    """Wait until the settled screen shows a text; the test's own time limit ends it otherwise."""
    await until(lambda: any(text in line for line in runtime.screen().lines))
    await runtime._follower.settled(5.0, fresh=True)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a state of the machine that sends no event; the test's own time limit ends it otherwise."""
    for _ in count():
        if condition():
            return
        await asyncio.sleep(0.01)


def alive(order: Launch) -> list[processes.Process]:
    """The living processes of a run, by its mark."""
    return processes.marked(order.run_id)
