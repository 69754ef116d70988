"""Many threads that start programs all the time, by vfork and in sessions of their own. Usage: ``swarm.py FILE N``.

Prints ``ready`` when N threads run. Two of three programs add a line to FILE. The threads call the C library, which
does not wait for the lock of Python: they are truly in the middle of a vfork together.
"""

import ctypes
import os
import sys
import threading
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)


def strings(values: list[str]) -> "ctypes.Array[ctypes.c_char_p]":
    return (ctypes.c_char_p * (len(values) + 1))(*[value.encode() for value in values], None)


def run(environment: "ctypes.Array[ctypes.c_char_p]", *argv: str) -> None:
    pid = ctypes.c_int()
    given = strings(list(argv))
    if LIBC.posix_spawnp(ctypes.byref(pid), given[0], None, None, given, environment) == 0:
        LIBC.waitpid(pid.value, None, 0)


def work(number: int, path: Path) -> None:
    environment = strings([f"{name}={value}" for name, value in os.environ.items()])
    write = ("sh", "-c", f"echo t >> {path}")
    programs = (write, ("setsid", "-f", *write), ("true",))
    while True:
        run(environment, *programs[number % len(programs)])


def main() -> None:
    path, count = Path(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        threading.Thread(target=work, args=(number, path), daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
