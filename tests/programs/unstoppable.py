"""Asks a question while a child of it waits in the kernel where no stop reaches it (a vfork without shared memory)."""

import ctypes
import os
import signal
import time

VFORK = 0x4000
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]


def wait_in_the_kernel() -> None:
    ctypes.CDLL(None).syscall(CLONE, VFORK | signal.SIGCHLD, 0, 0, 0, 0)
    while True:
        time.sleep(60)


def main() -> None:
    if os.fork() == 0:
        wait_in_the_kernel()
    answer = input("Delete the folder build? (y/n) ")
    print(f"answered {answer}", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main()
