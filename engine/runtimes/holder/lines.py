"""The lines to an agent: a terminal, or three pipes; and its start on the far end of them."""

import fcntl
import os
import pty
import signal
import struct
import termios
from dataclasses import dataclass

from engine.runtimes.holder.order import Order

_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD)


class StartFailed(Exception):
    """The agent's program could not be started; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Near ends are kept by guard and holder; far ends go to the agent and are closed once it runs."""

    write: int
    read: int
    errors: int | None
    far: tuple[int, ...]  # (terminal) or (stdin, stdout, stderr)
    name: str | None  # path of the terminal

    @property
    def near(self) -> frozenset[int]:
        return frozenset({self.write, self.read} | ({self.errors} if self.errors is not None else set()))


def open_lines(order: Order) -> Lines:
    """Open a terminal of the ordered size, or pipes."""
    if order.mode == "pipes":
        (in_r, in_w), (out_r, out_w), (err_r, err_w) = os.pipe(), os.pipe(), os.pipe()
        return Lines(in_w, out_r, err_r, (in_r, out_w, err_w), None)
    master, slave = pty.openpty()
    set_size(master, order.rows, order.cols)
    return Lines(master, master, None, (slave,), os.ttyname(slave))


def set_size(master: int, rows: int, cols: int) -> None:
    """Tell the terminal its size; programs on it get SIGWINCH."""
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def flush_input(lines: Lines) -> None:
    """Throw away what was typed and not yet read, so that it cannot answer anything."""
    if lines.name is None:
        return
    fd = os.open(lines.name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        termios.tcflush(fd, termios.TCIFLUSH)
    finally:
        os.close(fd)


def start(order: Order, lines: Lines) -> int:
    """Start the agent in a session of its own and return its pid; :class:`StartFailed` when it cannot run."""
    report_r, report_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_agent(order, lines, report_w)
    os.close(report_w)
    with os.fdopen(report_r, "rb") as report:
        fault = report.read().decode("utf-8", "replace")
    if fault:
        os.waitpid(pid, 0)
        raise StartFailed(fault)
    return pid


def _become_agent(order: Order, lines: Lines, report: int) -> None:
    """In the child: never returns. A fault goes up the pipe, which a successful exec closes."""
    try:
        os.setsid()
        far = lines.far if len(lines.far) == 3 else lines.far * 3
        if lines.name is not None:
            fcntl.ioctl(lines.far[0], termios.TIOCSCTTY, 0)
        for target, fd in enumerate(far):
            os.dup2(fd, target)
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        os.chdir(order.cwd)
        os.execvpe(order.argv[0], order.argv, order.environment)
    except OSError as error:
        os.write(report, _sentence(order, error).encode())
    finally:
        os._exit(127)


def _sentence(order: Order, error: OSError) -> str:
    if not os.path.isdir(order.cwd):  # noqa: PTH112 - between fork and exec, as little code as can be
        return f"The folder {order.cwd} does not exist or cannot be entered. Give the agent a folder that exists."
    if isinstance(error, FileNotFoundError):
        return f"The command {order.argv[0]} was not found on this machine. Install it, or correct the agent's command."
    return f"The command {order.argv[0]} could not be started: {error.strerror}."
