"""Freezing programs in the middle of what they start: nothing runs on, and nothing is called stopped that can."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.desk import until

from engine.runtimes import processes, tree

pytestmark = pytest.mark.system
PROGRAMS = Path(__file__).parents[1] / "programs"
THREADS = 8
FREEZES = 50
AGAIN = 0.05  # seconds between two looks at the same frozen tree
MARK = "run-swarm"
ROOT = """
import ctypes, os, signal, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
print(child.stdout.readline().decode().strip(), flush=True)
while True:
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        signal.pause()
"""
# The child of a vfork opens what it was told to before it becomes another program: a pipe without a writer holds it.
HALFWAY = """
import os, sys
print("ready", flush=True)
opens = [(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)]
pid = os.posix_spawn("/bin/sh", ["sh", "-c", f"echo ran > {sys.argv[2]}"], os.environ, file_actions=opens)
os.waitpid(pid, 0)
"""
Start = Callable[..., int]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a program below a subreaper, whose pid it returns."""
    roots = []

    def begin(*argv: str) -> int:
        command = [sys.executable, "-c", ROOT, sys.executable, *argv]
        env = {**os.environ, processes.MARK: MARK}
        root = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, start_new_session=True)
        roots.append(root)
        assert root.stdout is not None
        assert root.stdout.readline() == b"ready\n"
        return root.pid

    yield begin
    for root in roots:
        tree.kill(root.pid)
        root.kill()
        root.wait()
        assert root.stdout is not None
        root.stdout.close()


def seen(root: int) -> dict[tuple[int, str], list[str]]:
    """Every process with the mark but the root: its threads' states, read here and not by the tree."""
    rows = [row for row in processes.marked(MARK) if row.pid != root]
    return {(row.pid, row.start): sorted(map(state_of, Path(f"/proc/{row.pid}/task").iterdir())) for row in rows}


def state_of(task: Path) -> str:
    """T, or vfork for a thread that waits for its stopped child, or the letter of anything else."""
    state = (task / "stat").read_text().rpartition(")")[2].split()[0]
    below = [processes.read(int(child)) for child in (task / "children").read_text().split()]
    return "vfork" if state == "D" and any(row is not None and row.state == "T" for row in below) else state


@pytest.mark.timeout(180)
def test_no_thread_of_a_storm_of_starting_programs_outlives_a_freeze(start: Start, tmp_path: Path) -> None:
    ticks = tmp_path / "ticks"
    root = start(str(PROGRAMS / "swarm.py"), str(ticks), str(THREADS))
    until(ticks.exists, "the first line")
    halfway = 0
    for _ in range(FREEZES):
        found = tree.freeze(root)
        assert found.verified
        before, size = seen(root), ticks.stat().st_size
        time.sleep(AGAIN)  # that nothing happens takes time to see
        assert seen(root) == before
        assert set(before) == found.names
        assert {state for states in before.values() for state in states} <= {"T", "vfork"}
        assert ticks.stat().st_size == size
        halfway += any("vfork" in states for states in before.values())
        tree.thaw(root)
        until(lambda size=size: ticks.stat().st_size > size, "it to go on")
    assert halfway, "no freeze met a vfork: the storm is too weak"


def in_vfork(root: int) -> bool:
    return "D" in tree.states(root).values()


def test_program_between_vfork_and_exec_is_frozen_and_goes_on_after_the_thaw(start: Start, tmp_path: Path) -> None:
    pipe, ran = tmp_path / "pipe", tmp_path / "ran"
    os.mkfifo(pipe)
    root = start("-c", HALFWAY, str(pipe), str(ran))
    until(lambda: in_vfork(root), "the vfork")
    found = tree.freeze(root)
    assert found.verified
    assert sorted(tree.states(root).values()) == ["D", "T"]
    assert tree.all_stopped(root)
    with pipe.open("r+b", buffering=0):
        time.sleep(AGAIN)
        assert not ran.exists()
        tree.thaw(root)
        until(ran.exists, "the program to run")


def test_parent_in_vfork_is_not_called_stopped_while_its_child_runs(start: Start, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    root = start("-c", HALFWAY, str(pipe), str(tmp_path / "ran"))
    until(lambda: in_vfork(root), "the vfork")
    parent = next(pid for pid, state in tree.states(root).items() if state == "D")
    os.kill(parent, signal.SIGSTOP)
    assert not processes.is_stopped(row_of(parent))
    assert not tree.all_stopped(root)


def row_of(pid: int) -> processes.Process:
    row = processes.read(pid)
    assert row is not None
    return row
