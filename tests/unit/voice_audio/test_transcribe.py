"""The real recogniser and the real voice, on sentences whose words are known."""

import numpy as np
import pytest

from engine.domain.errors import BadRequest
from voice.audio.files import to_mono_16k
from voice.frames import RATE, Samples
from voice.listen.reject import reason_to_drop
from voice.listen.repeats import words
from voice.listen.transcribe import WhisperRecogniser
from voice.listen.vad import Vad, speech_spans
from voice.listen.words import hear_word, score_words
from voice.speak.synthesise import Espeak, Piper

LIST = ["tango", "banana", "dolphin", "umbrella", "pineapple", "chocolate", "elephant", "tomato"]
REFUSALS = ["no", "stop", "wait", "reject it", "never"]


@pytest.fixture(scope="module")
def recogniser() -> WhisperRecogniser:
    return WhisperRecogniser.load("tiny.en")


@pytest.fixture(scope="module")
def voice() -> Piper:
    return Piper.load("en_US-joe-medium")


def spoken(voice: Piper | Espeak, text: str) -> Samples:
    speech = voice.sentence(text)
    sound = to_mono_16k(speech.samples, speech.rate) * np.float32(0.4)
    noise = np.random.default_rng(2).normal(0, 0.001, len(sound) + RATE).astype(np.float32)
    noise[RATE // 2 : RATE // 2 + len(sound)] += sound
    first, last = speech_spans(noise, Vad())[0][0], speech_spans(noise, Vad())[-1][1]
    return noise[max(0, first - 6400) : last + 6400]


@pytest.mark.parametrize("text", ["What is waiting for me?", "Read it again.", "Show me the status of the project."])
@pytest.mark.parametrize("beam", [1, 5])
def test_a_clear_sentence_is_heard_word_for_word(
    recogniser: WhisperRecogniser, voice: Piper, text: str, beam: int
) -> None:
    found = recogniser.transcribe(spoken(voice, text), (), beam)
    assert words(found.text) == words(text)
    assert 0.3 < found.confidence <= 1.0
    assert len(found.hypotheses) <= beam
    assert len({one.text for one in found.hypotheses}) == len(found.hypotheses)
    assert reason_to_drop(found) is None


def test_examples_bring_names_into_the_readings(recogniser: WhisperRecogniser, voice: Piper) -> None:
    sound = spoken(voice, "Ask Qdrant to run the pytest suite.")
    told = recogniser.transcribe(sound, ["Ask Qdrant to stop.", "Tell Qdrant to run pytest."])
    assert "Qdrant" in told.text and "pytest" in told.text


def test_long_speech_is_heard_to_its_end(recogniser: WhisperRecogniser, voice: Piper) -> None:
    text = (
        "Tell the backend agent to look into the failing tests, and to write down what it finds, "
        "then to fix the first one it understands, and to run everything again before it stops for the day."
    )
    sound = spoken(voice, text)
    assert len(sound) > 8.8 * RATE
    found = recogniser.transcribe(sound)
    assert words(found.text)[-3:] == ["for", "the", "day"]


@pytest.mark.parametrize("level", [0.0, 0.0005, 0.003, 0.03, 0.1])
@pytest.mark.parametrize("examples", [[], ["What is open?", "Tell backend to run the tests."]])
def test_noise_gives_no_words_even_with_a_prompt(
    recogniser: WhisperRecogniser, level: float, examples: list[str]
) -> None:
    noise = np.random.default_rng(5).normal(0, level, 3 * RATE).astype(np.float32)
    assert speech_spans(noise, Vad()) == []
    assert reason_to_drop(recogniser.transcribe(noise, examples), examples) is not None


def test_nothing_is_nothing(recogniser: WhisperRecogniser) -> None:
    assert recogniser.transcribe(np.zeros(0, dtype=np.float32)).rejected == "no_speech"


def test_consent_is_never_in_a_prompt(recogniser: WhisperRecogniser) -> None:
    with pytest.raises(BadRequest):
        recogniser.transcribe(np.zeros(RATE, dtype=np.float32), ["I approve, tango."])


@pytest.mark.parametrize("word", LIST)
def test_the_one_time_word_leads_on_the_sound(recogniser: WhisperRecogniser, voice: Piper, word: str) -> None:
    sound = spoken(voice, f"I approve, {word}.")
    scores = score_words(recogniser, sound, recogniser.transcribe(sound).text, [*LIST, *REFUSALS])
    assert set(scores) == {*LIST, *REFUSALS}
    assert max(scores, key=lambda one: scores[one]) == word
    assert scores[word] - max(score for one, score in scores.items() if one != word) > 1.0
    assert all(score <= 0.0 for score in scores.values())


@pytest.mark.parametrize("said", ["No, stop.", "No, wait.", "Don't approve it, stop."])
def test_a_refusal_never_sounds_like_a_word_of_the_list(recogniser: WhisperRecogniser, voice: Piper, said: str) -> None:
    sound = spoken(voice, said)
    scores = score_words(recogniser, sound, recogniser.transcribe(sound).text, [*LIST, *REFUSALS])
    assert max(scores, key=lambda one: scores[one]) in REFUSALS


@pytest.mark.parametrize("word", ["tango", "tomato"])
def test_an_approval_that_was_misspelled_is_read_again_on_the_sound(
    recogniser: WhisperRecogniser, voice: Piper, word: str
) -> None:
    sound = spoken(voice, f"I approve, {word}.")
    heard = hear_word(recogniser, sound, "I approve Tangle.", 0.6, LIST, REFUSALS)
    assert heard.text == f"I approve, {word}." and heard.read_again
    assert 0.1 < heard.confidence <= 1.0


@pytest.mark.parametrize(
    "said",
    [
        "I don't approve, tango.",
        "I approve, mango.",
        "I approve it.",
        "I disapprove, tango.",
        "What is waiting for me?",
        "No.",
    ],
)
def test_what_is_no_approval_with_a_word_is_never_read_as_one(
    recogniser: WhisperRecogniser, voice: Piper, said: str
) -> None:
    heard = hear_word(recogniser, spoken(voice, said), "Something else.", 0.6, LIST, REFUSALS)
    assert heard.text == "Something else." and not heard.read_again


def test_a_reading_that_holds_a_refusal_is_left_as_it_is(recogniser: WhisperRecogniser, voice: Piper) -> None:
    sound = spoken(voice, "I approve, tango.")
    assert hear_word(recogniser, sound, "I approve, no.", 0.6, LIST, REFUSALS).text == "I approve, no."


def test_the_voice_to_fall_back_on_speaks_too(voice: Piper) -> None:
    for speaker in (voice, Espeak()):
        speech = speaker.sentence("Done.")
        assert len(speech.samples) / speech.rate > 0.2
        assert np.abs(speech.samples).max() > 0.1


def test_faster_speech_is_shorter(voice: Piper) -> None:
    slow = len(voice.sentence("Three agents are waiting.").samples)
    voice.speed = 1.8
    fast = len(voice.sentence("Three agents are waiting.").samples)
    voice.speed = 1.0
    assert fast < 0.75 * slow
