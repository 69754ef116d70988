"""Which process is behind a connection: an agent's own processes may not use a person's token."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Protocol

import psutil

from engine.domain.errors import Forbidden

_READS = 5  # the kernel's table is no snapshot: a row can be passed over while others come and go
_ROUNDS = 3  # a tree that forks meanwhile is looked at again


@dataclass(frozen=True, slots=True)
class Connection:
    """The client's end and ours, as (address, port)."""

    client: tuple[str, int]
    server: tuple[str, int]


class Peers(Protocol):
    """Looks up the owners of a connection's client end."""

    def held_by(self, connection: Connection, pids: Iterable[int]) -> int | None:
        """The first of ``pids`` that holds the client's end, else None; :class:`Forbidden` when it can't be told."""
        ...


class Trees(Protocol):
    """Every process of every agent's tree, with the id of its run."""

    def __call__(self) -> Mapping[int, str]: ...


def agent_behind(connection: Connection, trees: Trees, peers: Peers) -> str | None:
    """The run whose tree holds the client's end of the connection, or None for a caller outside every tree.

    What cannot be told is refused: a process that sends and is gone at once must not pass for a stranger.
    """
    seen: set[int] = set()
    for _ in range(_ROUNDS):
        tree = trees()
        fresh = [pid for pid in tree if pid not in seen]
        if seen and not fresh:
            break
        holder = peers.held_by(connection, fresh)
        if holder is not None:
            return tree[holder]
        seen.update(fresh)
        if not seen:
            break
    return None


def system_peers() -> Peers:
    """The look-up that this system has: /proc, else psutil."""
    return ProcPeers() if sys.platform == "linux" else PsutilPeers()


def _unknown() -> Forbidden:
    return Forbidden(
        "The engine cannot tell which process asks, so it does nothing. Keep the connection open and retry."
    )


class ProcPeers:
    """Linux: the socket's inode from /proc/net/tcp and tcp6, then the open files of the tree's processes only."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc

    def held_by(self, connection: Connection, pids: Iterable[int]) -> int | None:
        inode, uid = self._socket(connection)
        wanted = f"socket:[{inode}]"
        for pid in pids:
            try:
                if self._holds(pid, wanted):
                    return pid
            except PermissionError as error:
                # A tree process of another user (sudo): its sockets are not ours, so ours are not its.
                if uid != os.geteuid():
                    raise _unknown() from error
        return None

    def _socket(self, connection: Connection) -> tuple[int, int]:
        wanted = (_plain(connection.client), _plain(connection.server))
        for _ in range(_READS):
            for table in ("tcp", "tcp6"):
                for row in self._rows(table):
                    if (_decode(row[1]), _decode(row[2])) == wanted and row[9] != "0":
                        return int(row[9]), int(row[7])
        raise _unknown()

    def _rows(self, table: str) -> list[list[str]]:
        try:
            lines = (self._proc / "net" / table).read_text("ascii").splitlines()
        except FileNotFoundError:  # a kernel without IPv6
            return []
        return [line.split() for line in lines[1:]]

    def _holds(self, pid: int, wanted: str) -> bool:
        try:
            with os.scandir(self._proc / str(pid) / "fd") as entries:
                return any(_target(entry.path) == wanted for entry in entries)
        except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
            return False


def _target(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except FileNotFoundError:  # closed meanwhile
        return ""


class PsutilPeers:
    """Other systems: psutil's view of the connections of each process of the trees."""

    def held_by(self, connection: Connection, pids: Iterable[int]) -> int | None:
        hidden = False
        for pid in pids:
            try:
                if _has(psutil.Process(pid), connection):
                    return pid
            except psutil.AccessDenied:
                hidden = True
            except psutil.NoSuchProcess:
                continue
        if hidden and not _someone_of_ours(connection):
            raise _unknown()
        return None


def _someone_of_ours(connection: Connection) -> bool:
    for process in psutil.process_iter():
        try:
            if _has(process, connection):
                return True
        except (psutil.AccessDenied, psutil.NoSuchProcess):
            continue
    return False


def _has(process: psutil.Process, connection: Connection) -> bool:
    ends = (_plain(connection.client), _plain(connection.server))
    return any(
        entry.raddr and (_plain(tuple(entry.laddr)), _plain(tuple(entry.raddr))) == ends
        for entry in process.net_connections(kind="tcp")
    )


Address = tuple[IPv4Address | IPv6Address, int]


def _plain(end: tuple[str, int]) -> Address:
    address = ip_address(end[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address, end[1])


def _decode(field: str) -> Address:
    """An end as the kernel prints it: words of four bytes in the machine's order, then the port."""
    digits, port = field.split(":")
    raw = bytes.fromhex(digits)
    if sys.byteorder == "little":
        raw = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    address = IPv4Address(raw) if len(raw) == 4 else IPv6Address(raw)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address, int(port, 16))
