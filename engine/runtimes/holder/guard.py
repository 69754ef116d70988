"""The guard: keeps the terminal open and waits. When the holder dies it kills the tree, then lets the terminal go."""

import fcntl
import json
import os
import signal
import sys
import traceback
from pathlib import Path

from engine.runtimes import processes, tree
from engine.runtimes.holder import kernel, lines
from engine.runtimes.holder.feed import Feed
from engine.runtimes.holder.hold import Holder
from engine.runtimes.holder.order import Order
from engine.runtimes.holder.protocol import EXIT, LOCK, STATE, VERSION, write_atomically


class AlreadyHeld(Exception):
    """Another holder lives in this control folder; the text is a sentence."""


def stand(order: Order, control: Path, ready: int) -> int:
    """Start the holder below, wait for its death, leave nothing alive; returns an exit status."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    _lock(control)
    kernel.become_subreaper()
    kernel.hide()
    (control / EXIT).unlink(missing_ok=True)
    ends = lines.open_lines(order)
    alive_r, alive_w = os.pipe()
    holder = os.fork()
    if holder == 0:
        os.close(alive_w)
        _be_holder(order, control, ends, alive_r, ready)
    for fd in (alive_r, ready, *ends.far):
        os.close(fd)
    if ends.name is None:
        signal.signal(signal.SIGUSR1, lambda *_: os.close(ends.write))  # the holder asks once, to end a pipe
    status = _wait_for(holder)
    processes.claim(order.run_id)
    while tree.kill(os.getpid(), reap=_reap_all):
        pass
    if not (control / EXIT).exists():
        _record_loss(order, control, status)
    return 0


def _be_holder(order: Order, control: Path, ends: lines.Lines, alive: int, ready: int) -> None:
    """In the child: never returns."""
    code = 1
    try:
        kernel.become_subreaper()
        kernel.hide()
        processes.claim(order.run_id)
        agent = lines.start(order, ends)
        for fd in ends.far:
            os.close(fd)
        holder = Holder(order, control, Feed(ends, control), agent, alive)
        pids = {"version": VERSION, "run": order.run_id, "pid": os.getpid(), "guard": os.getppid(), "agent": agent}
        write_atomically(control / STATE, pids)
        tell(ready, pids)
        holder.run()
        code = 0
    except lines.StartFailed as error:
        tell(ready, {"error": str(error)})
    except BaseException:  # noqa: BLE001 - the last frame of a forked process: log, then end without unwinding the guard
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def tell(ready: int, message: dict[str, object]) -> None:
    """Answer whoever started this holder, once."""
    os.write(ready, json.dumps(message).encode())
    os.close(ready)


def _lock(control: Path) -> None:
    fd = os.open(control / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # kept open by guard and holder
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise AlreadyHeld(f"An agent is running already in {control}. Stop it first.") from error


def _wait_for(holder: int) -> int:
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == holder:
            return os.waitstatus_to_exitcode(status)


def _reap_all() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _record_loss(order: Order, control: Path, status: int) -> None:
    reason = f"its holder process ended with {status}, so the agent was killed"
    write_atomically(control / EXIT, {"run": order.run_id, "code": None, "reason": reason, "offset": None})
