"""Wake phrases: heard in spite of the recogniser's spelling, and not in ordinary talk."""

import pytest

from engine.domain.errors import BadRequest
from voice.frames import Hypothesis
from voice.listen.wake import WakePhrases


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Hey Conduit, what is open?", "what is open?"),
        ("hey conduit", ""),
        ("Hey, Conduit!", ""),
        ("Hey con do it, status.", "status."),
        ("Hey condo it. Read it.", "Read it."),
        ("Um, hey conduit, stop.", "stop."),
    ],
)
def test_a_wake_phrase_is_found_and_the_rest_kept(text: str, rest: str) -> None:
    wake = WakePhrases().find(text)
    assert wake is not None and wake.rest == rest


@pytest.mark.parametrize(
    "text", ["", "Hey.", "Hey can you do it?", "The conduit is broken.", "Okay, conduct the test.", "Hey Candace."]
)
def test_ordinary_talk_wakes_nothing(text: str) -> None:
    assert WakePhrases().find(text) is None


@pytest.mark.parametrize("phrase", ["", "hey", "go", "a a a", "yo bob", "hi you"])
def test_a_phrase_that_is_too_short_is_refused_with_the_reason(phrase: str) -> None:
    with pytest.raises(BadRequest, match="too short"):
        WakePhrases([phrase])


def test_no_phrase_at_all_is_refused() -> None:
    with pytest.raises(BadRequest, match="no wake phrase"):
        WakePhrases([])


def readings(*texts: str) -> list[Hypothesis]:
    return [Hypothesis(text, -0.1 * rank, 0.9) for rank, text in enumerate(texts)]


def test_phrase_is_taken_off_every_reading_and_the_one_that_was_woken_by_comes_first() -> None:
    given = readings("Play conduit, what is open?", "Hey conduit, what is open?", "Hey conduit, don't.")
    found = WakePhrases().taken_off(given)
    assert [one.text for one in found] == ["what is open?", "Play conduit, what is open?", "don't."]


def test_readings_without_the_phrase_are_nobodys() -> None:
    assert WakePhrases().taken_off(readings("What is open?", "It is open.")) == ()
    assert WakePhrases().taken_off([]) == ()


def test_examples_for_the_recogniser_wake_and_ordinary_talk_does_not() -> None:
    wake = WakePhrases()
    assert all(wake.find(example) for example in wake.examples())
    assert wake.find("Okay, can do it.") is None
