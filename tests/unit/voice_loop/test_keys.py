"""Keys in a terminal of one's own: each is told, and the terminal is left as it was found."""

import asyncio
import os
import pty
import sys
import termios
from pathlib import Path

import pexpect
import pytest

from voice.loop.keys import keys

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import asyncio, termios
from voice.loop.keys import keys
async def main():
    pressed = asyncio.Queue()
    before = termios.tcgetattr(0)
    async with keys(lambda: pressed.put_nowait(1)) as ours:
        print("ready", ours, flush=True)
        for _ in range(2):
            await pressed.get()
            print("key", flush=True)
    print("as before", termios.tcgetattr(0) == before, flush=True)
asyncio.run(main())
"""


def test_each_key_is_told_without_return_and_the_terminal_is_as_before() -> None:
    terminal = pexpect.spawn(sys.executable, ["-c", PROGRAM], cwd=str(ROOT), timeout=30)
    terminal.expect("ready True")
    terminal.send(" ")
    terminal.expect("key")
    terminal.send("x")
    terminal.expect("key")
    terminal.expect("as before True")
    terminal.expect(pexpect.EOF)
    terminal.close()


def test_control_c_still_ends_the_program() -> None:
    terminal = pexpect.spawn(sys.executable, ["-c", PROGRAM], cwd=str(ROOT), timeout=30)
    terminal.expect("ready True")
    terminal.sendintr()
    terminal.expect("KeyboardInterrupt")
    terminal.expect(pexpect.EOF)
    terminal.close()


@pytest.mark.parametrize("kind", ["pipe", "terminal of another"])
async def test_what_is_no_terminal_of_ours_gives_no_keys_and_is_not_touched(kind: str) -> None:
    reading, writing = os.pipe() if kind == "pipe" else pty.openpty()
    before = termios.tcgetattr(writing) if kind != "pipe" else None
    try:
        async with keys(lambda: pytest.fail("a key was told"), reading) as ours:
            os.write(writing, b"x")
            await asyncio.sleep(0)
            assert not ours
        assert before is None or termios.tcgetattr(writing) == before
    finally:
        os.close(reading)
        os.close(writing)
