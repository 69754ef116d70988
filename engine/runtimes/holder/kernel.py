"""Requests to the kernel that Python has no words for: child subreaper, no peeking by other processes of this user."""

import ctypes
import os

from engine.runtimes.processes import LINUX

_SET_DUMPABLE = 4
_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Adopt descendants whose parents die, so that a double fork does not leave the tree (Linux; elsewhere nothing)."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def hide() -> None:
    """Forbid ptrace and /proc/<pid>/fd to others of the same user: an agent must not reach its holder (Linux)."""
    _prctl(_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    if not LINUX:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")
