"""One lock per file, across threads and processes. It dies with its holder, and taking it never creates a folder."""

import errno
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from engine.domain.errors import NotFound, Unavailable
from engine.storage.disk import fault_sentence

log = logging.getLogger(__name__)

DEFAULT_TIMEOUT = 10.0  # seconds
_POLL = 0.005  # seconds; how soon a waiter notices that a lock of another process came free


class Busy(Unavailable):
    """Somebody else holds the lock, and did so until the time was up."""


@dataclass(slots=True)
class _Entry:
    """What this process knows of one lock file: who of its threads holds it, how deep, and how many want it."""

    mutex: threading.RLock = field(default_factory=threading.RLock)
    wanted: int = 0
    depth: int = 0
    file_lock: FileLock | None = None


_entries: dict[Path, _Entry] = {}
_guard = threading.Lock()


def lock_path(path: Path) -> Path:
    """The lock file of ``path``: beside it. A stale one means nothing; the kernel keeps the lock, not the file."""
    return path.with_name(f"{path.name}.lock")


@contextmanager
def locked(path: Path, timeout: float = DEFAULT_TIMEOUT) -> Iterator[None]:
    """Hold the lock of ``path``; the same thread may take it again. Busy when it can't be had in time,
    NotFound when its folder is gone."""
    deadline = time.monotonic() + timeout
    lock = lock_path(path)
    entry = _enter(lock)
    try:
        if not entry.mutex.acquire(timeout=max(0.0, timeout)):
            raise Busy(_busy(path, timeout))
        try:
            _deepen(entry, lock, path, deadline, timeout)
            try:
                yield
            finally:
                _release(entry)
        finally:
            entry.mutex.release()
    finally:
        _leave(lock, entry)


def _enter(lock: Path) -> _Entry:
    with _guard:
        entry = _entries.setdefault(lock, _Entry())
        entry.wanted += 1
        return entry


def _leave(lock: Path, entry: _Entry) -> None:
    with _guard:
        entry.wanted -= 1
        if entry.wanted == 0:  # else every file ever locked would stay in memory
            del _entries[lock]


def _deepen(entry: _Entry, lock: Path, path: Path, deadline: float, timeout: float) -> None:
    if entry.depth == 0:
        entry.file_lock = _take(lock, path, deadline, timeout)
    entry.depth += 1


def _release(entry: _Entry) -> None:
    entry.depth -= 1
    if entry.depth == 0 and entry.file_lock is not None:
        entry.file_lock.release()
        entry.file_lock = None


def _take(lock: Path, path: Path, deadline: float, timeout: float) -> FileLock:
    if lock.is_dir() and not lock.is_symlink():
        _clear_folder(lock)
    if not lock.parent.is_dir():
        raise NotFound(f"Could not lock {path}: its folder does not exist (any more).")
    try:
        file_lock = FileLock(lock, thread_local=False, mode=0o600)
        file_lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL)
    except Timeout as fault:
        raise Busy(_busy(path, timeout)) from fault
    except FileNotFoundError as fault:
        raise NotFound(f"Could not lock {path}: its folder does not exist (any more).") from fault
    except OSError as fault:
        raise Unavailable(fault_sentence(fault, lock, "lock")) from fault
    return file_lock


def _clear_folder(lock: Path) -> None:
    """Nothing of ours makes a folder of that name: it is moved out of the way, and that is said."""
    try:
        lock.rmdir()
    except OSError as fault:
        if fault.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise Unavailable(fault_sentence(fault, lock, "clear the folder in place of the lock")) from fault
        aside = lock.with_name(f"{lock.name}.broken-{time.time_ns()}")
        lock.rename(aside)
        log.warning("a folder stood in place of the lock %s; it is now %s", lock, aside)
    else:
        log.warning("an empty folder stood in place of the lock %s; it was removed", lock)


def _busy(path: Path, timeout: float) -> str:
    return (
        f"{path} is locked by another process or thread, and stayed so for {timeout:g} s; "
        "try again, or look which program is stuck."
    )
