"""The loop's small parts: its own echo, its settings."""

from pathlib import Path

import pytest

from engine.domain.errors import BadRequest
from voice.loop.echo import Echo
from voice.loop.settings import load_settings
from voice.loop.status import doing


def test_own_words_coming_back_are_echo_until_the_window_after_them_is_over() -> None:
    echo = Echo()
    echo.said("It takes letting it go on or refusing. The word is tango.", 10.0)
    echo.ended(14.0)
    assert echo.is_echo("letting it go on or refusing", 15.0)
    assert echo.is_echo("The word is tango", 19.0)
    assert not echo.is_echo("The word is tango", 21.0)


def test_long_stretch_of_own_words_is_echo_for_minutes_though_misheard() -> None:
    echo = Echo()
    echo.said("Sent to backend.", 10.0)
    echo.said("backend in Apollo asks. It deletes build; that can't be undone. The word is volcano.", 12.0)
    echo.ended(20.0)
    played_back = (
        "Send to backend. That can in Apollo asks. It deletes build. That can't be undone. The word is volcano."
    )
    assert echo.is_echo(played_back, 60.0)
    assert not echo.is_echo(played_back, 400.0)
    assert not echo.is_echo("tell backend to look at what the build deletes and write it down for me", 60.0)


def test_short_answers_and_other_words_are_the_users() -> None:
    echo = Echo()
    echo.said("no agents wait for an answer", 10.0)
    assert not echo.is_echo("no", 10.5)
    assert not echo.is_echo("tell backend to run the tests", 10.5)


def test_question_that_help_has_just_named_is_answered_and_a_command_is_not_obeyed() -> None:
    echo = Echo()
    echo.said("Say: what is waiting. Tell backend to run the tests.", 10.0)
    echo.ended(14.0)
    assert not echo.is_echo("what is waiting", 15.0, only_asks=True)
    assert echo.is_echo("tell backend to run the tests", 15.0)


def test_settings_default_and_refuse_with_file_and_field(tmp_path: Path) -> None:
    assert load_settings(tmp_path).mode == "wake"
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "settings.yaml"
    file.write_text("voice: {mode: push, stayOpen: 30, unknown: kept out}\n", "utf-8")
    assert (load_settings(tmp_path).mode, load_settings(tmp_path).stay_open) == ("push", 30)
    for broken in ("voice: {mode: loud}\n", "voice: {speed: fast}\n", "- a\n", "voice: [\n"):
        file.write_text(broken, "utf-8")
        with pytest.raises(BadRequest, match=r"settings\.yaml"):
            load_settings(tmp_path)


def test_microphone_that_opens_while_something_is_said_does_not_hide_the_speaking() -> None:
    assert doing("listening", aloud=True, hearing=False, asleep=False) == "speaking"
    assert doing("off", aloud=True, hearing=False, asleep=True) == "speaking"
    assert doing("listening", aloud=False, hearing=False, asleep=True) == "asleep"
    assert doing("listening", aloud=False, hearing=True, asleep=True) == "hearing"


@pytest.mark.parametrize("ears", ["lost", "busy", "dead", "absent"])
def test_dead_microphone_is_never_shown_as_listening(ears: str) -> None:
    assert doing(ears, aloud=True, hearing=True, asleep=False) == "trouble"
    assert doing("off", aloud=False, hearing=True, asleep=False) == "off"
