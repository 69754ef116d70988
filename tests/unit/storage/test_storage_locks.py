"""Locks: held across threads and processes, freed by death, and never in the way of a start."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.domain.errors import NotFound, Unavailable
from engine.storage.locks import locked

HOLD = """
import sys
from pathlib import Path
from engine.storage.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold_elsewhere(path: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def test_a_lock_that_another_process_holds_is_a_clear_error(tmp_path: Path) -> None:
    holder = hold_elsewhere(tmp_path / "x.json")
    try:
        with (
            pytest.raises(Unavailable, match=r"x\.json is locked by another process"),
            locked(tmp_path / "x.json", 0.05),
        ):
            pass
    finally:
        end(holder)


def test_a_dead_holder_blocks_nobody(tmp_path: Path) -> None:
    holder = hold_elsewhere(tmp_path / "x.json")
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with locked(tmp_path / "x.json", 0.05):
        pass


def test_a_slow_living_holder_keeps_its_lock_whatever_the_age_of_the_file(tmp_path: Path) -> None:
    holder = hold_elsewhere(tmp_path / "x.json")
    try:
        for when in (0, time.time() + 3 * 3600):
            os.utime(tmp_path / "x.json.lock", (when, when))
            with pytest.raises(Unavailable), locked(tmp_path / "x.json", 0.05):
                pass
    finally:
        end(holder)


@pytest.mark.parametrize("content", [b"", b"not json", b"\0" * 100, b"4821\nhost\n"])
@pytest.mark.parametrize("shift", [-86400, 3 * 3600])
def test_a_lock_file_left_behind_means_nothing(tmp_path: Path, content: bytes, shift: float) -> None:
    lock = tmp_path / "x.json.lock"
    lock.write_bytes(content)
    os.utime(lock, (time.time() + shift, time.time() + shift))
    with locked(tmp_path / "x.json", 0.05):
        pass


@pytest.mark.parametrize("filled", [False, True])
def test_a_folder_in_place_of_the_lock_is_cleared_and_logged(
    tmp_path: Path, filled: bool, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "x.json.lock"
    folder.mkdir()
    if filled:
        (folder / "owner").write_text("1")
    with locked(tmp_path / "x.json", 0.5):
        pass
    assert "in place of the lock" in caplog.text
    assert len(list(tmp_path.glob("*.broken-*/owner"))) == filled


def test_a_link_in_place_of_the_lock_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "x.json.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(Unavailable, match="symbolic link"), locked(tmp_path / "x.json", 0.1):
        pass
    assert (tmp_path / "victim").read_text() == "mine"


def test_locking_creates_no_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound), locked(tmp_path / "gone" / "x.json"):
        pass
    assert not (tmp_path / "gone").exists()


def test_the_same_thread_may_hold_it_twice_and_frees_it_once(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with locked(path), locked(path):
        pass
    holder = hold_elsewhere(path)  # would wait for ever if it were still held
    end(holder)


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    path, inside, seen = tmp_path / "x.json", [], []

    def work() -> None:
        for _ in range(50):
            with locked(path):
                inside.append(1)
                seen.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {1} and len(seen) == 300


def test_a_lock_is_forgotten_once_nobody_wants_it(tmp_path: Path) -> None:
    from engine.storage import locks

    for n in range(20):
        with locked(tmp_path / f"{n}.json"):
            pass
    assert not [path for path in locks._entries if path.is_relative_to(tmp_path)]
