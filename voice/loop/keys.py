"""Keys pressed in the terminal where voice runs: each is told at once, and the terminal is left as it was found."""

import asyncio
import contextlib
import logging
import os
import signal
import termios
import tty
from collections.abc import AsyncIterator, Callable
from typing import Any

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def keys(on_key: Callable[[], None], descriptor: int = 0) -> AsyncIterator[bool]:
    """Tell ``on_key`` of every key while entered; False where ``descriptor`` is no terminal of ours. Ctrl-C stays."""
    before = _settings(descriptor)
    if before is None:
        yield False
        return
    loop = asyncio.get_running_loop()

    def read() -> None:
        if _pressed(descriptor):
            on_key()
        else:
            loop.remove_reader(descriptor)  # the terminal is gone

    tty.setcbreak(descriptor, termios.TCSANOW)
    loop.add_reader(descriptor, read)
    # A shell that takes the terminal back while voice is suspended (Ctrl-Z) sets it as it likes.
    loop.add_signal_handler(signal.SIGCONT, _again, descriptor)
    try:
        yield True
    finally:
        loop.remove_signal_handler(signal.SIGCONT)
        loop.remove_reader(descriptor)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _settings(descriptor: int) -> list[Any] | None:
    """The terminal's settings, or None: no terminal, or one that another program holds."""
    try:
        if not os.isatty(descriptor) or os.tcgetpgrp(descriptor) != os.getpgrp():
            return None
        found: list[Any] = termios.tcgetattr(descriptor)
    except (OSError, termios.error) as error:
        _log.info("Keys are not read from this terminal: %s", error)
        return None
    return found


def _pressed(descriptor: int) -> bool:
    """Take what was pressed; False at the end of the terminal."""
    try:
        return bool(os.read(descriptor, 1024))
    except BlockingIOError:
        return True
    except OSError as error:
        _log.info("The terminal gives no keys any more: %s", error)
        return False


def _again(descriptor: int) -> None:
    if _settings(descriptor) is not None:
        tty.setcbreak(descriptor, termios.TCSANOW)
