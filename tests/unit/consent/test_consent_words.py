"""One-time words: fresh, apart from everything around them, and believed only on a clear sound."""

import math
from random import Random

import pytest

from engine.gates.consent.words import WORD_MARGIN, choose, sound, verify

WORDS = ("tango", "banana", "cedar")
RIVALS = (*WORDS, "no", "stop")


def test_word_that_is_live_is_not_given_again() -> None:
    assert choose(WORDS, live=["tango", "banana"], avoid=[], recent=[], rng=Random(1)) == "cedar"


@pytest.mark.parametrize("text", ["rm -rf tango", "TANGO", "./untangoed.sh", "tan-go", "Tángo"])
def test_word_in_a_name_or_command_is_not_given(text: str) -> None:
    assert choose(["tango", "banana"], live=[], avoid=[text], recent=[], rng=Random(1)) == "banana"


@pytest.mark.parametrize("text", ["the seeder script", "ask Zeeder"])
def test_word_that_sounds_like_a_name_is_not_given(text: str) -> None:
    assert choose(["cedar", "banana"], live=[], avoid=[text], recent=[], rng=Random(1)) == "banana"
    assert sound("cedar") == sound("seeder")


def test_none_left_is_said_rather_than_repeated() -> None:
    assert choose(WORDS, live=WORDS, avoid=[], recent=[], rng=Random(1)) is None


def test_words_rotate() -> None:
    recent: list[str] = []
    for _ in range(9):
        recent.append(choose(WORDS, live=[], avoid=[], recent=recent, rng=Random(1)) or "")
    assert [set(recent[at : at + 3]) for at in (0, 3, 6)] == [set(WORDS)] * 3


def said(**better: float) -> dict[str, float]:
    return {rival: -10.0 for rival in RIVALS} | better


def test_clear_lead_is_believed() -> None:
    assert verify("tango", said(tango=-10.0 + WORD_MARGIN), RIVALS) == "ok"


@pytest.mark.parametrize(
    "scores",
    [None, {}, said(tango=-9.9), said(tango=math.nan), said(tango=math.inf), said(tango=1.0), {"tango": -1.0},
     {key: value for key, value in said(tango=-1.0).items() if key != "stop"}, said(tango=-1.0, no=-math.inf)],
)  # fmt: skip
def test_thin_or_missing_scores_are_unsure(scores: dict[str, float] | None) -> None:
    assert verify("tango", scores, RIVALS) == "unsure"


def test_other_word_or_refusal_in_the_lead_is_wrong() -> None:
    assert verify("tango", said(banana=-1.0), RIVALS) == "wrong"
    assert verify("tango", said(tango=-5.0, no=-1.0), RIVALS) == "wrong"
