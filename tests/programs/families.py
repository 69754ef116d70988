"""Process families for tests of the tree. Usage: ``families.py KIND [FILE]``; prints ``ready`` when all of it lives.

KIND: session (a child with setsid), double (double fork), chain (forks and exits for ever), storm (grows to 200),
stubborn (ignores TERM and HUP), keeper (a child that deletes FILE when it is continued or reads an end of file).
"""

import os
import signal
import sys
import time
from pathlib import Path


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def session() -> None:
    if os.fork() == 0:
        os.setsid()
        sleep_for_ever()


def double() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleep_for_ever()
        os._exit(0)
    os.wait()


def chain() -> None:
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork() != 0:
                os._exit(0)


def storm() -> None:
    for number in range(200):
        if os.fork() == 0:
            if os.fork() == 0:
                sleep_for_ever()
            sleep_for_ever()
        if number == 5:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
        time.sleep(0.001)


def stubborn() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.fork()


def keeper(path: Path) -> None:
    if os.fork() != 0:
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGCONT, lambda *_: path.unlink(missing_ok=True))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while os.read(0, 100):
        pass
    path.unlink(missing_ok=True)
    os._exit(0)


def main() -> None:
    kind = sys.argv[1]
    if kind == "keeper":
        keeper(Path(sys.argv[2]))
        os.waitpid(-1, 0)
    elif kind == "storm":
        storm()
    else:
        globals()[kind]()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
    sleep_for_ever()


if __name__ == "__main__":
    main()
