"""Lock files that a crash, a clock or somebody left behind: they mean nothing, for the kernel keeps the lock."""

import os
import time
from pathlib import Path

import pytest

from engine.ports.clock import SystemClock
from engine.storage.layout import Layout
from engine.storage.runs import Runs


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "home")
    layout.runs.mkdir(parents=True)
    return layout


@pytest.mark.parametrize("content", [b"", b"not json", b'{"pid": 1}', b"\x00" * 4096])
def test_lock_of_a_dead_owner_keeps_no_engine_out(layout: Layout, content: bytes) -> None:
    layout.runtime_lock.write_bytes(content)
    with Runs(layout, SystemClock()).own():
        pass


@pytest.mark.parametrize("hours", [-10_000, 3])
def test_lock_from_any_time_keeps_no_engine_out(layout: Layout, hours: int) -> None:
    layout.runtime_lock.touch()
    when = time.time() + 3600 * hours
    os.utime(layout.runtime_lock, (when, when))
    with Runs(layout, SystemClock()).own():
        pass


@pytest.mark.parametrize("filled", [False, True])
def test_folder_in_the_place_of_the_lock_makes_way_and_that_is_logged(
    layout: Layout, filled: bool, caplog: pytest.LogCaptureFixture
) -> None:
    layout.runtime_lock.mkdir()
    if filled:
        (layout.runtime_lock / "file").write_text("of somebody")
    with Runs(layout, SystemClock()).own():
        assert layout.runtime_lock.is_file()
    assert str(layout.runtime_lock) in caplog.text
    assert [path.read_text() for path in layout.runs.glob("*broken*/file")] == (["of somebody"] if filled else [])
