"""Starts engines and workers quickly: a process that has imported everything forks each, then runs the real thing.

``python -m support.crash.nursery KEEP``: one JSON order a line on standard input, one answer a line.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.crash import faults
from support.crash.workload import worker

from engine.assembly import run


def serve(keep: Path) -> None:
    """Fork what is asked for until the input ends; dead children are reaped by the kernel."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        sys.stdout.write(f"{json.dumps({'pid': fork(keep, order)})}\n")
        sys.stdout.flush()


def fork(keep: Path, order: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        with (keep / f"{order['what']}.out").open("ab", buffering=0) as out, Path(os.devnull).open("rb") as nothing:
            for target, source in ((0, nothing), (1, out), (2, out)):
                os.dup2(source.fileno(), target)
        faulthandler.enable()
        work(keep, order)()
        code = 0
    except BaseException:  # noqa: BLE001  # the last thing that this process does is to say why
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def work(keep: Path, order: dict[str, Any]) -> Callable[[], object]:
    """What a child does: the engine as ``python -m engine`` runs it, or one worker."""
    if order.get("faults"):
        faults.install(keep / "root", order["seed"], order["faults"])
    if order["what"] == "engine":
        os.environ["CONDUIT_HOME"] = str(keep / "root")
        return lambda: run(keep / "root", 0)
    return lambda: worker(keep, order["number"], order["seed"]).run()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
