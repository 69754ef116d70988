"""Power loss at any moment, in any mixture of what was synced and what was not: all that was acknowledged is there."""

import os
from pathlib import Path

import pytest
from support.outage import judge, record

from engine.storage import disk


@pytest.mark.timeout(300)
def test_every_moment_of_power_loss_opens_with_all_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    power, facts = record(tmp_path, monkeypatch)
    assert len(power.states) > 200
    assert len(facts) > 15
    (tmp_path / "scratch").mkdir()
    assert list(judge(power, facts, tmp_path / "scratch", every=3)) == []


@pytest.mark.parametrize("what", ["sync_folder", "sync"])
def test_the_model_sees_a_forgotten_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Without the sync of folders, or of contents, something that was acknowledged is lost at some moment."""
    monkeypatch.setattr(disk, what, lambda _: None)
    power, facts = record(tmp_path, monkeypatch)
    monkeypatch.undo()
    assert os.fsync.__module__ == "posix"
    (tmp_path / "scratch").mkdir()
    assert next(judge(power, facts, tmp_path / "scratch", every=11), None) is not None
