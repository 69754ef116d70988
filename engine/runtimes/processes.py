"""The machine's process table as plain values: Linux from /proc, macOS from ``ps`` (untried). Standard library only."""

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

MARK = "CONDUIT_RUN"
LINUX = os.uname().sysname == "Linux"
_STOPPED = frozenset("Tt")
_GONE = frozenset("ZX")
_SIGSTOP_BIT = 1 << 18
_MARKED = re.compile(rf"^\s*(\d+)\s.*?\s{MARK}=(\S+)", re.MULTILINE)
_claims: dict[str, int] = {}  # run id -> holder, where the kernel gives orphans to init


@dataclass(frozen=True, slots=True)
class Process:
    """One row of the table. ``start`` (clock ticks, or text) and ``pid`` together name a process for good."""

    pid: int
    ppid: int
    session: int
    state: str  # one letter, as ps prints it
    start: str
    threads: int = 1

    @property
    def gone(self) -> bool:
        """Dead and not yet reaped; a dead leader whose threads go on is not gone."""
        return self.state in _GONE and self.threads <= 1


Table = dict[int, Process]


def read(pid: int) -> Process | None:
    """The row of one process, or None when there is no such process."""
    if LINUX:
        return _read_stat(pid)
    return _ps(["-p", str(pid)]).get(pid)


def table() -> Table:
    """Every process there is. A row whose parent vanished meanwhile is read again, so that no link is missing."""
    if not LINUX:
        return with_orphans(_ps(["-ax"]), _marks(), _claims)
    names = os.listdir("/proc")  # noqa: PTH208 - the hot path of a freeze
    rows = {row.pid: row for name in names if name.isdigit() and (row := _read_stat(int(name)))}
    for row in [row for row in rows.values() if row.ppid and row.ppid not in rows]:
        fresh = _read_stat(row.pid)
        if fresh is not None:
            rows[row.pid] = fresh
    return rows


def claim(run_id: str) -> None:
    """Count orphans that bear this run's mark as children of this process (systems without a subreaper)."""
    _claims[run_id] = os.getpid()


def with_orphans(rows: Table, marks: Mapping[int, str], claims: Mapping[str, int]) -> Table:
    """The table with init's marked children below the holder that claims their run."""

    def parent(row: Process) -> int:
        holder = claims.get(marks.get(row.pid, ""), row.ppid)
        return holder if row.ppid == 1 and holder != row.pid else row.ppid

    return {pid: replace(row, ppid=parent(row)) for pid, row in rows.items()}


def parse_marks(text: str) -> dict[int, str]:
    """Pid -> run id from ``ps -E -o pid=,command=``, which prints the environment behind the command."""
    return {int(match[1]): match[2] for match in _MARKED.finditer(text)}


def bears_mark(pid: int) -> bool:
    """Whether a process has any run's mark in its environment."""
    if LINUX:
        try:
            return f"\0{MARK}=".encode() in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
    return pid in parse_marks(_run_ps(["-p", str(pid), "-Eww", "-o", "pid=,command="]))


def descendants(root: int, rows: Table) -> list[Process]:
    """Everything below ``root`` (not itself), parents before children; dead ones left out."""
    children: dict[int, list[Process]] = defaultdict(list)
    for row in rows.values():
        children[row.ppid].append(row)
    found: list[Process] = []
    queue, seen = [root], {root}
    while queue:
        for child in children[queue.pop(0)]:
            if child.pid not in seen:
                seen.add(child.pid)
                queue.append(child.pid)
                found.append(child)
    return [row for row in found if not row.gone]


def ancestors(pid: int) -> Iterable[int]:
    """The parents of ``pid``, nearest first, up to pid 1."""
    seen = {pid}
    row = read(pid)
    while row is not None and row.ppid > 0 and row.ppid not in seen:
        seen.add(row.ppid)
        yield row.ppid
        row = read(row.ppid)


def children_now(pid: int) -> list[int] | None:
    """Direct children by the kernel's own list, quickly; None where the system keeps none."""
    try:
        found: list[int] = []
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - the hot path of a freeze
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:  # noqa: PTH123 - as above
                found += map(int, file.read().split())
        return found
    except (FileNotFoundError, ProcessLookupError):
        return [] if Path("/proc/self/task").exists() and _lists_children() else None


def below(root: int) -> Table | None:
    """The rows below ``root`` along the kernel's lists of children, quickly; None where the system keeps none."""
    rows: Table = {}
    queue = children_now(root)
    if queue is None:
        return None
    while queue:
        pid = queue.pop()
        row = None if pid in rows else _read_stat(pid)
        if row is not None:
            rows[pid] = row
            queue += children_now(pid) or ()
    return rows


def is_stopped(row: Process) -> bool:
    """Whether not one thread of it can run on: all in state T, or in a vfork with the stop pending.

    There the parent waits in the kernel for its child, which is stopped and uses the parent's memory until it has
    become another program; it stops before it runs again. Any other wait of state D (a disk) may end and do its work.
    """
    if row.gone or (row.state in _STOPPED and row.threads <= 1):
        return True
    if not LINUX:
        return row.state in _STOPPED
    return all(
        state in _STOPPED or state in _GONE or _in_vfork(row.pid, thread, state) for thread, state in _threads(row.pid)
    )


def command_line(pid: int) -> list[str]:
    """The argv of a process; empty when it is gone or not ours to read."""
    if LINUX:
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return []
        return [part.decode("utf-8", "replace") for part in raw.split(b"\0")[:-1]]
    return _run_ps(["-p", str(pid), "-o", "command="]).split()


def marked(run_id: str) -> list[Process]:
    """Processes that carry this run's mark in their environment, this process and its ancestors left out."""
    ours = {os.getpid(), *ancestors(os.getpid())}
    if not LINUX:
        pids = [pid for pid, run in _marks().items() if run == run_id and pid not in ours]
        return [row for pid in pids if (row := read(pid))]
    needle = f"{MARK}={run_id}".encode()
    return [row for row in table().values() if row.pid not in ours and not row.gone and _carries(row.pid, needle)]


def _read_stat(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - the hot path of a freeze; Path costs a third more
            raw = file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    fields = raw[raw.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        ppid=int(fields[1]),
        session=int(fields[3]),
        state=fields[0].decode(),
        start=fields[19].decode(),
        threads=int(fields[17]),
    )


def _threads(pid: int) -> list[tuple[str, str]]:
    """Id and state of every thread."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            raw = (task / "stat").read_bytes()
            found.append((task.name, raw[raw.rindex(b")") + 2 :].split()[0].decode()))
    except (FileNotFoundError, ProcessLookupError):
        return [(str(pid), "R")] if Path(f"/proc/{pid}").exists() else []
    return found


def _in_vfork(pid: int, thread: str, state: str) -> bool:
    """Whether a thread waits for a stopped child that still uses the thread's memory, and will stop after that."""
    if state != "D" or not _stop_pending(pid):
        return False
    task = Path(f"/proc/{pid}/task/{thread}")
    try:
        children, memory = (task / "children").read_text().split(), (task / "statm").read_text()
        return any(
            (row := _read_stat(int(child))) is not None
            and row.state in _STOPPED
            and Path(f"/proc/{child}/statm").read_text() == memory
            for child in children
        )
    except (FileNotFoundError, ProcessLookupError):
        return False


def _stop_pending(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    masks = [line.split()[1] for line in text.splitlines() if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(int(mask, 16) & _SIGSTOP_BIT for mask in masks)


def _lists_children() -> bool:
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _carries(pid: int, needle: bytes) -> bool:
    try:
        return needle in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _run_ps(arguments: list[str]) -> str:
    done = subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False, timeout=10)
    return done.stdout


def _ps(arguments: list[str]) -> Table:
    return parse_ps(_run_ps([*arguments, "-o", "pid=,ppid=,sess=,state=,lstart="]))


def parse_ps(text: str) -> Table:
    """Rows from ``ps -o pid=,ppid=,sess=,state=,lstart=``; lines of another shape are left out."""
    rows: Table = {}
    for line in text.splitlines():
        fields = line.split(None, 4)
        if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit():
            session = int(fields[2], 16) if fields[2].isalnum() else 0
            row = Process(int(fields[0]), int(fields[1]), session, fields[3][0], fields[4].strip())
            rows[row.pid] = row
    return rows


def _marks() -> dict[int, str]:
    return parse_marks(_run_ps(["-axEww", "-o", "pid=,command="]))
