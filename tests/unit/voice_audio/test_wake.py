"""Wake phrases: heard in spite of the recogniser's spelling, and not in ordinary talk."""

import pytest

from engine.domain.errors import BadRequest
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


def test_phrase_in_another_reading_wakes_and_says_that_it_was_not_the_likeliest() -> None:
    found = WakePhrases().find_in(["Play conduit, what is open?", "Hey conduit, what is open?"])
    assert found is not None
    assert (found.rest, found.likeliest) == ("what is open?", False)
    likeliest = WakePhrases().find_in(["Hey conduit.", "Hey conduct."])
    assert likeliest is not None
    assert likeliest.likeliest
    assert WakePhrases().find_in(["What is open?", "It is open."]) is None


def test_examples_for_the_recogniser_wake_and_ordinary_talk_does_not() -> None:
    wake = WakePhrases()
    assert all(wake.find(example) for example in wake.examples())
    assert wake.find("Okay, can do it.") is None
