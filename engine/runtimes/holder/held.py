"""Which processes belong to a command that is held while its agent is frozen."""

from engine.runtimes import processes
from engine.runtimes.processes import Process

_QUOTES = str.maketrans("", "", "'\"\\")


def of_command(root: int, agent: int, command: str | None) -> list[Process]:
    """The command's processes below ``root`` (the holder), parents first; never the agent's own process.

    Those whose argv contains the command, all below them, and what left the tree since; without a match those in
    sessions other than the agent's (every CLI gives its commands one); without these all but the agent itself.
    """
    rows = processes.descendants(root, processes.table())
    others = [row for row in rows if row.pid != agent]
    if found := _named(others, command):
        return _with_offspring(root, rows, found, agent)
    session = next((row.session for row in rows if row.pid == agent), 0)
    return [row for row in others if row.session != session] or others


def named(root: int, agent: int, command: str | None) -> list[Process]:
    """Those whose argv contains the command: it has begun for certain."""
    return _named([row for row in processes.descendants(root, processes.table()) if row.pid != agent], command)


def _named(rows: list[Process], command: str | None) -> list[Process]:
    if not command:
        return []
    return [row for row in rows if _plain(command) in _plain(" ".join(processes.command_line(row.pid)))]


def _with_offspring(root: int, rows: list[Process], named: list[Process], agent: int) -> list[Process]:
    table = {row.pid: row for row in rows}
    below = {row.pid for top in named for row in processes.descendants(top.pid, table)}
    since = min(_ticks(row) for row in named)
    strays = {row.pid for row in rows if row.ppid == root and row.pid != agent and _ticks(row) >= since}
    below |= {row.pid for pid in strays for row in processes.descendants(pid, table)} | strays
    wanted = below | {row.pid for row in named}
    return [row for row in rows if row.pid in wanted and row.pid != agent]


def _ticks(row: Process) -> int:
    return int(row.start) if row.start.isdigit() else 0


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).split())
