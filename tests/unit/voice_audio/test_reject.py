"""What is not taken as the user's words: silence, loops, inventions, bias; and what must be let through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import BadRequest
from voice.frames import Hypothesis, Rejection, Transcript, Utterance
from voice.listen.prompt import check_examples, encode_prompt, without_consent
from voice.listen.reject import is_invention, judged, reason_to_drop
from voice.listen.repeats import compression_ratio, repeats, without_repeat


def transcript(text: str, likely: float = -0.2, no_speech: float = 0.02) -> Transcript:
    confidence = 0.0 if repeats(text) else 2.718281828**likely
    ratio = compression_ratio(text)
    return Transcript((Hypothesis(text, likely, confidence),), no_speech, ratio, seconds=2.0)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks so much for watching!",
        "Thank you very much for watching.",
        "Thank you for your attention.",
        "See you in the next video.",
        "Bye bye.",
        "Bye-bye!",
        "Thanks for watching! Please subscribe.",
        "Don't forget to like and subscribe to my channel.",
        "Thank you.",
        "you",
        "[Music]",
        "Subtitles by the Amara.org community",
        "Thanks for listening. See you next time.",
        "♪ ♪",
        "...",
    ],
)
def test_an_invention_of_silence_is_dropped_however_it_is_spelled(text: str) -> None:
    assert reason_to_drop(transcript(text)) in ("invention", "empty")
    assert reason_to_drop(transcript(text, no_speech=0.9)) is not None


@pytest.mark.parametrize("text", ["yes yes yes yes yes yes yes", "go go go go go", "ok. ok. ok. ok. ok. ok."])
def test_a_loop_is_dropped_by_its_structure(text: str) -> None:
    assert reason_to_drop(transcript(text)) == "repeated"
    assert transcript(text).confidence == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "What is open?",
        "Tell backend to run the tests.",
        "No, no, no.",
        "Stop, stop.",
        "Don't approve it.",
        "I approve, tango.",
        "Tell docs to thank the user for watching the demo.",
        "Say bye to the old parser.",
        "Read it again.",
        "Session two two two.",
        "Stop.",
    ],
)
def test_what_people_say_is_let_through(text: str) -> None:
    assert reason_to_drop(transcript(text)) is None


@given(st.text(alphabet="abc .!?", max_size=30), st.integers(min_value=4, max_value=12))
def test_any_word_said_four_times_is_a_loop(word: str, times: int) -> None:
    plain = "".join(letter for letter in word if letter.isalpha())
    if plain:
        assert repeats(" ".join([plain] * times))


@pytest.mark.parametrize(
    ("examples", "text"),
    [
        (["harbor, lantern, juniper"], "harbor, lantern, lantern"),
        (["Tell backend to run it."], "Tell backend to run it."),
    ],
)
def test_the_prompt_alone_in_doubtful_sound_is_dropped(examples: list[str], text: str) -> None:
    assert reason_to_drop(transcript(text, no_speech=0.6), examples) == "only_bias"
    assert reason_to_drop(transcript(text, no_speech=0.05), examples) is None


@pytest.mark.parametrize(
    ("likely", "no_speech", "reason"),
    [(-0.2, 0.9, "no_speech"), (-0.6, 0.5, "no_speech"), (-1.2, 0.01, "unlikely"), (-0.3, 0.2, None)],
)
def test_unlikely_words_are_dropped(likely: float, no_speech: float, reason: Rejection | None) -> None:
    assert reason_to_drop(transcript("Start the backend", likely, no_speech)) == reason


def test_room_tone_and_clicks_are_no_speech() -> None:
    import numpy as np

    def turn(speech: float, level: float) -> Utterance:
        return Utterance(np.zeros(16000, dtype=np.float32), 0.0, 1.0, speech, level, -80.0)

    assert judged(transcript("Start it"), (), turn(0.06, -20.0)).rejected == "no_speech"
    assert judged(transcript("Start it"), (), turn(0.8, -66.0)).rejected == "too_quiet"
    assert judged(transcript("Start it"), (), turn(0.8, -30.0)).rejected is None


def test_a_sentence_said_twice_by_the_recogniser_is_one() -> None:
    once = "Can I get a small latte?"
    assert without_repeat(f"{once} {once}") == once
    assert without_repeat(f"{once} {once} Can I get") == once
    assert without_repeat("Tell docs to say hello hello") == "Tell docs to say hello hello"


@pytest.mark.parametrize("example", ["I approve, tango.", "Yes please", "Reject it", "approve, reject", "Confirmed."])
def test_words_of_consent_are_refused_as_examples(example: str) -> None:
    with pytest.raises(BadRequest, match="decides"):
        check_examples([example])
    assert without_consent([example, "What is open?"]) == ["What is open?"]


def test_the_prompt_is_cut_between_examples() -> None:
    tokens = encode_prompt(["aaaa"] * 100, lambda text: [1] * 30)
    assert len(tokens) == 210


def test_an_empty_text_is_an_invention_of_nothing() -> None:
    assert is_invention("") and not is_invention("Start backend.")
