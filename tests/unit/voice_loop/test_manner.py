"""How the user likes to be spoken to is bounded, kept over restarts, and never in the way."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.dialogue.requests import ChangeManner
from voice.loop.manner import FILE, Manner, keep, load

CHANGES = [
    ChangeManner(speed=1.2),
    ChangeManner(speed=1 / 1.2),
    ChangeManner(volume=1.5),
    ChangeManner(volume=1 / 1.5),
    ChangeManner(plain=True),
]


def test_what_was_asked_for_holds_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    manner = Manner().after(ChangeManner(speed=1.2), 1.0, 1.0).after(ChangeManner(volume=1 / 1.5), 1.0, 1.0)
    keep(tmp_path, manner)
    assert load(tmp_path) == manner
    assert manner.speed > 1 > manner.volume


@given(st.lists(st.sampled_from(CHANGES)), st.floats(0.5, 2.5), st.floats(0.1, 1.0))
def test_no_row_of_changes_makes_it_unheard_or_too_fast(changes: list[ChangeManner], speed: float, loud: float) -> None:
    manner = Manner()
    for change in changes:
        manner = manner.after(change, speed, loud)
    assert 0.49 <= speed * manner.speed <= 2.51
    assert 0.09 <= loud * manner.volume <= 1.01


def test_plain_is_as_the_settings_say() -> None:
    assert Manner(2.0, 0.5).after(ChangeManner(plain=True), 1.0, 1.0) == Manner()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"speed": 900}', '{"volume": 0}', '{"speed": "loud"}'])
def test_file_that_cannot_be_read_is_no_trouble(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / FILE).write_text(text)
    assert load(tmp_path) == Manner()
    assert FILE in caplog.text


def test_folder_that_takes_nothing_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "config").write_text("no folder")
    keep(tmp_path, Manner(1.2, 1.0))
    assert FILE in caplog.text
