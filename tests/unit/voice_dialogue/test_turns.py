"""How long a pause may be before a turn is over."""

import pytest

from voice.frames import Hypothesis
from voice.listen.wake import WakePhrases
from voice.loop.turns import completeness, woken
from voice.understand.grammar import desk
from voice.understand.intents import Text, Understanding

UNDERSTANDING = Understanding.of(desk("en"), {"agents": ("backend",), "projects": ("Apollo",), "words": ("tango",)})


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (("what is waiting",), "complete"),
        (("reject it",), "complete"),
        (("I approve, tango",), "consent"),
        (("tell backend to run the tests",), "open"),  # more of the message may follow
        (("tell backend to",), "open"),
        (("tell",), "open"),
        (("the weather is nice",), "unknown"),
        (("projected", "reject it"), "unknown"),  # another reading is a whole command: no need to wait for more
        (("bread the plans", "read the plans"), "unknown"),
        (("yes",), "unknown"),
    ],
)
def test_silence_that_ends_a_turn_follows_from_its_words(readings: tuple[str, ...], expected: str) -> None:
    given = tuple(Text(text, -0.1 * rank) for rank, text in enumerate(readings))
    assert completeness(UNDERSTANDING, given) == expected


def heard(*texts: str) -> tuple[Hypothesis, ...]:
    return tuple(Hypothesis(text, -0.1 * rank, 0.9) for rank, text in enumerate(texts))


def said(*texts: str) -> list[str] | None:
    """What is left for the assistant of these readings."""
    rest = woken(WakePhrases(), UNDERSTANDING, heard(*texts))
    return None if rest is None else [one.text for one in rest]


def test_approval_in_a_less_likely_reading_wakes_and_decides_nothing() -> None:
    assert said("Play conduit, I approve, tango.", "Hey conduit, I approve, tango.") == []
    assert said("Hey conduit, I approve, tango.") == ["I approve, tango."]


def test_refusal_in_another_reading_of_a_woken_approval_is_kept() -> None:
    rest = said("Hey conduit, I approve, tango.", "Hey conduit, I don't approve, tango.")
    assert rest == ["I approve, tango.", "I don't approve, tango."]


def test_question_in_a_less_likely_reading_is_heard_and_talk_is_not() -> None:
    first, *_ = said("Play conduit, what is waiting?", "Hey conduit, what is waiting?") or [""]
    assert first == "what is waiting?"
    assert said("What is waiting?") is None
    assert said("Hey conduit.") == []
