"""``python -m engine.runtimes.holder <control folder>``: detaches, starts what its standard input says, answers."""

import os
import sys
import traceback
from pathlib import Path

from engine.runtimes.holder import guard
from engine.runtimes.holder.order import BadOrder, Order, take
from engine.runtimes.holder.protocol import LOG


def main(arguments: list[str]) -> int:
    """Print ``{"pid": ...}`` or ``{"error": sentence}`` and leave the holder behind in a session of its own."""
    control = Path(arguments[0]).absolute()
    try:
        order = take(sys.stdin.buffer)
    except BadOrder as error:
        guard.tell(os.dup(1), {"error": str(error)})
        return 1
    ready_r, ready_w = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready_r)
        _detach(order, control, ready_w)
    os.close(ready_w)
    os.waitpid(child, 0)
    with os.fdopen(ready_r, "rb") as ready:
        answer = ready.read()
    sentence = f"The holder ended before it could start the agent; {control / LOG} says why."
    os.write(1, answer or b'{"error": "%s"}' % sentence.encode())
    return 0


def _detach(order: Order, control: Path, ready: int) -> None:
    """In the child: a session of its own, a second fork, no terminal, no file of the engine's. Never returns."""
    os.setsid()
    if os.fork():
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open(control / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for target, fd in ((0, nothing), (1, nothing), (2, log)):
        os.dup2(fd, target)
    code = 1
    try:
        code = guard.stand(order, control, ready)
    except guard.AlreadyHeld as error:
        guard.tell(ready, {"error": str(error)})
    except BaseException:  # noqa: BLE001 - the last frame of a detached process: its log is the only place left
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
