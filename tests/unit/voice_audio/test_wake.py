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
        ("Okay Conduit. Stop", "Stop"),
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
