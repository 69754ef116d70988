"""Output on disk: bounded, readable by offset, never in the agent's way."""

from pathlib import Path

import pytest

from engine.runtimes import recording
from engine.runtimes.recording import Recording


def test_bytes_are_read_back_by_offset_across_segments(tmp_path: Path) -> None:
    tape = Recording(tmp_path, keep=1000, segment=10)
    data = bytes(range(100))
    for at in range(0, 100, 7):
        tape.append(data[at : at + 7])
    assert recording.span(tmp_path) == (0, 100)
    assert recording.read(tmp_path, 0, 1000) == (0, data)
    assert recording.read(tmp_path, 37, 20) == (37, data[37:57])
    assert recording.read(tmp_path, 100, 5) == (100, b"")


def test_old_output_is_forgotten_and_the_gap_is_told(tmp_path: Path) -> None:
    tape = Recording(tmp_path, keep=30, segment=10)
    for _ in range(20):
        tape.append(b"0123456789")
    oldest, end = recording.span(tmp_path)
    assert end == 200
    assert 30 <= end - oldest <= 40
    assert recording.read(tmp_path, 0, 5) == (oldest, b"01234")


def test_earlier_life_in_the_same_folder_is_not_mixed_in(tmp_path: Path) -> None:
    Recording(tmp_path).append(b"old life")
    tape = Recording(tmp_path)
    tape.append(b"new")
    assert recording.read(tmp_path, 0, 100) == (0, b"new")


def test_full_disk_loses_output_but_not_the_latest_and_says_so(tmp_path: Path) -> None:
    tape = Recording(tmp_path / "out", segment=10)
    tape.append(b"kept")
    tape.close()
    (tmp_path / "out").rename(tmp_path / "moved")  # no folder: every write fails, as on a full disk
    tape.append(b"lost")
    assert tape.fault is not None
    assert "Make room" in tape.fault
    assert tape.end == 8
    assert tape.read(2, 10) == (2, b"ptlost")
    (tmp_path / "moved").rename(tmp_path / "out")
    tape.append(b"again")
    assert tape.fault is None
    assert recording.read(tmp_path / "out", 4, 10) == (8, b"again")


@pytest.mark.parametrize("offset", [0, 5, 9])
def test_follower_reads_from_memory_or_disk_alike(tmp_path: Path, offset: int) -> None:
    tape = Recording(tmp_path)
    tape.append(b"0123456789")
    assert tape.read(offset, 3) == (offset, b"0123456789"[offset : offset + 3])
