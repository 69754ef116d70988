"""Who may speak to a holder: the same user, and no process that lies in any holder's tree."""

import os
import socket
import struct

from engine.runtimes import processes
from engine.runtimes.holder.protocol import MODULE

_LOCAL_PEERPID = 2  # macOS: level SOL_LOCAL (0)


def refusal(connection: socket.socket) -> str | None:
    """None when the peer may speak, else the sentence that says why not."""
    pid, uid = credentials(connection)
    if uid != os.getuid():
        return "This holder belongs to another user."
    if processes.read(pid) is None:
        return "The process that connected is gone."
    if inside_a_tree(pid):
        return "Agents may not reach a holder: this connection comes from inside an agent's own processes."
    return None


def credentials(connection: socket.socket) -> tuple[int, int]:
    """Pid and uid of the process at the other end."""
    if processes.LINUX:
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        pid, uid, _ = struct.unpack("3i", raw)
        return pid, uid
    pid = connection.getsockopt(0, _LOCAL_PEERPID)  # untried
    return pid, os.getuid()  # the folder is 0700


def inside_a_tree(pid: int) -> bool:
    """Whether a holder or guard is an ancestor of ``pid``, or its environment bears a run's mark (macOS: orphans)."""
    above = list(processes.ancestors(pid))
    orphan = not processes.LINUX and processes.bears_mark(pid)
    return os.getpid() in above or any(is_holder(parent) for parent in above) or orphan


def is_holder(pid: int) -> bool:
    """Whether this process was started as a holder or guard."""
    return MODULE in processes.command_line(pid)[1:4]
