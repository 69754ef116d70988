"""How long a pause may be before a turn is over."""

import pytest

from voice.loop.turns import completeness
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
    assert completeness(UNDERSTANDING, given, readings[0]) == expected
