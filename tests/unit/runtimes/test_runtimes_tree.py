"""Stopping, continuing and ending real process families, without a holder between."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtimes import processes, tree

FAMILIES = Path(__file__).parents[2] / "programs" / "families.py"
ROOT = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.PIPE)
print(child.stdout.readline().decode().strip(), flush=True)
while True:
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        import signal; signal.pause()
"""


@pytest.fixture
def family(request: pytest.FixtureRequest) -> Iterator[int]:
    """Pid of a subreaper above one family."""
    root = subprocess.Popen(
        [sys.executable, "-c", ROOT, str(FAMILIES), request.param], stdout=subprocess.PIPE, start_new_session=True
    )
    assert root.stdout is not None
    assert root.stdout.readline() == b"ready\n"
    yield root.pid
    tree.kill(root.pid)
    root.kill()
    root.wait()
    root.stdout.close()


@pytest.mark.parametrize("family", ["session", "double", "chain", "storm", "stubborn"], indirect=True)
def test_freeze_stops_every_process_of_a_family(family: int) -> None:
    found = tree.freeze(family)
    assert found.verified
    assert len(found.pids) >= 2
    assert set(tree.states(family).values()) <= {"T"}
    assert tree.all_stopped(family)
    assert family not in found.pids
    state = processes.read(family)
    assert state is not None and state.state != "T"
    assert set(tree.states(family)) == set(found.pids)


@pytest.mark.parametrize("family", ["session", "double"], indirect=True)
def test_thaw_continues_what_was_frozen_but_not_what_was_stopped_before(family: int) -> None:
    own = max(tree.states(family))
    os.kill(own, signal.SIGSTOP)
    while tree.states(family)[own] != "T":
        pass
    before = tree.stopped_before(family)
    tree.freeze(family)
    tree.thaw(family, before)
    while [state for pid, state in tree.states(family).items() if pid != own and state == "T"]:
        pass
    assert tree.states(family)[own] == "T"


@pytest.mark.parametrize("family", ["session", "double", "chain", "storm", "stubborn"], indirect=True)
def test_end_leaves_nothing_of_a_running_family(family: int) -> None:
    assert tree.end(family, grace=0.3) == 0
    assert tree.states(family) == {}
    assert processes.read(family) is not None


@pytest.mark.parametrize("family", ["session", "stubborn"], indirect=True)
def test_end_kills_a_frozen_family(family: int) -> None:
    tree.freeze(family)
    assert tree.end(family, grace=5) == 0
    assert tree.states(family) == {}


def test_processes_that_changed_hands_are_left_alone() -> None:
    child = subprocess.Popen(["sleep", "60"])
    row = processes.read(child.pid)
    assert row is not None
    other = processes.Process(row.pid, row.ppid, row.session, row.state, "1")
    assert tree.kill_these([other]) == 0
    assert child.poll() is None
    assert tree.kill_these([row]) == 1
    assert child.wait() == -signal.SIGKILL


def test_init_and_this_process_are_never_signalled() -> None:
    rows = [row for pid in (1, os.getpid()) if (row := processes.read(pid))]
    assert tree.kill_these(rows) == 0


def test_children_are_told_before_parents_and_session_leaders_last(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(tree, "_signal", lambda row, _number: bool(told.append(row.pid)) or True)
    leader, child, grandchild = (
        processes.Process(10, 2, 10, "T", "1"),
        processes.Process(11, 10, 10, "T", "1"),
        processes.Process(12, 11, 10, "T", "1"),
    )
    orphan = processes.Process(13, 2, 10, "T", "1")
    tree.kill_these([leader, orphan, child, grandchild])
    assert told == [12, 11, 13, 10]


def test_ps_output_of_macos_becomes_rows() -> None:
    text = "  501     1      0 Ss   Mon Nov 30 10:00:00 2026\n  502   501      0 T    Mon Nov 30 10:00:01 2026\njunk\n"
    rows = processes.parse_ps(text)
    assert rows[502] == processes.Process(502, 501, 0, "T", "Mon Nov 30 10:00:01 2026")
    assert [row.pid for row in processes.descendants(501, rows)] == [502]


def test_marks_of_macos_give_orphans_back_to_their_holder() -> None:
    text = "  7 sleep 60 PATH=/bin CONDUIT_RUN=run-1 HOME=/h\n  8 vim x PATH=/bin\n  9 a CONDUIT_RUN=run-2\n"
    marks = processes.parse_marks(text)
    assert marks == {7: "run-1", 9: "run-2"}
    rows = {pid: processes.Process(pid, 1, pid, "S", "t") for pid in (5, 7, 8, 9)}
    found = processes.with_orphans(rows, marks, {"run-1": 5})
    assert [row.pid for row in processes.descendants(5, found)] == [7]


def test_mark_of_any_run_is_seen() -> None:
    child = subprocess.Popen(["/bin/sleep", "60"], env={processes.MARK: "run-x"})
    try:
        while not processes.bears_mark(child.pid):
            pass
        assert not processes.bears_mark(os.getppid())
    finally:
        child.kill()
        child.wait()


def test_dead_leader_whose_threads_go_on_is_not_gone() -> None:
    assert processes.Process(5, 1, 5, "Z", "1", threads=1).gone
    assert not processes.Process(5, 1, 5, "Z", "1", threads=3).gone


def test_mark_in_the_environment_finds_a_process() -> None:
    child = subprocess.Popen(["sleep", "60"], env={processes.MARK: "run-mark-test"}, executable="/bin/sleep")
    try:
        while not processes.marked("run-mark-test"):
            pass
        assert [row.pid for row in processes.marked("run-mark-test")] == [child.pid]
    finally:
        child.kill()
        child.wait()
