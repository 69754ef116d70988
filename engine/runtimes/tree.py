"""Stops, continues and ends every descendant of a process, again until nothing new appears. Standard library only."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.runtimes import processes
from engine.runtimes.processes import Process

_PAUSE = 0.002  # seconds between two looks
_FREEZE_LIMIT = 5.0  # seconds; a storm that outruns this is reported, not waited for
_CLEAN_LOOKS = 2  # complete looks in a row that must find the same stopped processes
Name = tuple[int, str]  # pid and start time


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a freeze found: the stopped processes, and whether all of them were seen stopped in two looks."""

    names: frozenset[Name]
    verified: bool

    @property
    def pids(self) -> frozenset[int]:
        return frozenset(pid for pid, _ in self.names)


def states(root: int) -> dict[int, str]:
    """State letter of every living descendant of ``root``."""
    return {row.pid: row.state for row in processes.descendants(root, processes.table())}


def all_stopped(root: int) -> bool:
    """Whether every living descendant of ``root`` is stopped right now."""
    return all(map(processes.is_stopped, processes.descendants(root, processes.table())))


def stopped_before(root: int) -> frozenset[Name]:
    """Descendants that are stopped already (a job that the user put aside): a thaw leaves them so.

    Everything else waits for this look, so it follows the kernel's lists of children where there are any: the whole
    table takes longer the more the machine runs.
    """
    near = processes.below(root)
    rows = processes.descendants(root, processes.table() if near is None else near)
    return frozenset((row.pid, row.start) for row in rows if row.state == "T")


def freeze(root: int, limit: float = _FREEZE_LIMIT) -> Frozen:
    """Stop every descendant of ``root``, never itself.

    A stopped process cannot fork, so two complete looks that find the same stopped set miss nothing that lives as long
    as a look takes. What lives shorter (a program that forks and exits, again and again) is caught before each look by
    quick walks along the kernel's lists of children, until one walk meets nothing that runs, vanished or just died.
    The first look follows those lists too: only the last one reads the whole table, which takes longer the more the
    machine runs, and which alone can vouch that nothing was adopted away in between.
    """
    deadline = time.monotonic() + limit
    clean, last, dead = 0, frozenset[Name](), set[int]()
    while True:
        _stop_along_children(root, deadline, dead)
        near = processes.below(root) if clean == 0 else None
        rows = processes.descendants(root, processes.table() if near is None else near)
        running = [row for row in rows if not processes.is_stopped(row)]
        names = frozenset((row.pid, row.start) for row in rows)
        clean = clean + 1 if not running and names == last else int(not running)
        last = names
        if clean >= _CLEAN_LOOKS or time.monotonic() > deadline:
            return Frozen(names, clean >= _CLEAN_LOOKS)
        for row in running:
            _signal(row, signal.SIGSTOP)
        if running:
            time.sleep(_PAUSE)


def thaw(root: int, leave: Collection[Name] = ()) -> int:
    """Continue every stopped descendant but those in ``leave``; returns how many.

    Children go first: a shell that wakes must not see its command stopped, or it would report a stopped job.
    """
    rows = processes.descendants(root, processes.table())
    waking = [row for row in reversed(rows) if (row.pid, row.start) not in leave]
    for row in waking:
        _signal(row, signal.SIGCONT)
    return len(waking)


def end(root: int, grace: float = 3.0, reap: Callable[[], None] = lambda: None) -> int:
    """End every descendant of ``root``: TERM, ``grace`` seconds, KILL, and look again; returns how many are left.

    A tree with a stopped process in it is killed at once: continuing it would let it act. ``reap`` collects the dead.
    """
    rows = processes.descendants(root, processes.table())
    if not any(row.state in "Tt" for row in rows):
        for row in rows:
            _signal(row, signal.SIGTERM)
        _wait_until_empty(root, grace, reap)
    return kill(root, reap=reap)


def kill(root: int, limit: float = 10.0, reap: Callable[[], None] = lambda: None) -> int:
    """SIGKILL every descendant of ``root``, again until none is left; returns how many are after ``limit`` seconds.

    Each round stops them first, so that none is missed by forking away.
    """
    deadline = time.monotonic() + limit
    while True:
        found = freeze(root, limit=1.0)
        rows = processes.descendants(root, processes.table())
        if not rows and found.verified:
            reap()
            return 0
        kill_these(rows)
        reap()
        if time.monotonic() > deadline:
            return len(rows)
        time.sleep(_PAUSE)


def kill_these(rows: Collection[Process]) -> int:
    """SIGKILL exactly these processes, each only if it is still the same one; returns how many were told.

    ``rows`` has parents before children. Children are told first and leaders of a session last: the death of a leader
    hangs its terminal up, and that of a parent can orphan a process group; both continue stopped programs. One that
    was told already dies of it instead.
    """
    told = sorted(reversed(list(rows)), key=lambda row: row.pid == row.session)
    return sum(_signal(row, signal.SIGKILL) for row in told)


def _wait_until_empty(root: int, seconds: float, reap: Callable[[], None]) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        reap()
        if not processes.descendants(root, processes.table()):
            return
        time.sleep(0.01)


def _stop_along_children(root: int, deadline: float, dead: set[int]) -> None:
    """Walk down the kernel's lists of children and stop what runs, until a whole walk is quiet."""
    while time.monotonic() < deadline:
        below = processes.children_now(root)
        if below is None or not _stop_level(below, dead):
            return


def _stop_level(pids: list[int], dead: set[int]) -> bool:
    """Stop all below; whether there was unrest. Whoever vanished or is newly dead may have left a child behind."""
    unrest = False
    while pids:
        pid = pids.pop()
        row = processes.read(pid)
        if row is None:
            unrest = True
        elif row.gone:
            unrest |= pid not in dead
            dead.add(pid)
        else:
            if row.state not in "TtD":
                unrest |= _signal(row, signal.SIGSTOP)
            pids.extend(processes.children_now(pid) or ())
    return unrest


def _signal(row: Process, number: signal.Signals) -> bool:
    """Signal one process if it is still the one that was seen; never init, never this process."""
    if row.pid <= 1 or row.pid == os.getpid():
        return False
    current = processes.read(row.pid)
    if current is None or current.start != row.start:
        return False
    # Another user's process (sudo) refuses the signal: the caller sees that it runs on.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(row.pid, number)
        return True
    return False
