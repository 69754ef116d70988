"""Another language is a setting: who speaks it, who understands it, and what is said where that can't be."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.domain.errors import BadRequest, Unavailable
from voice.dialogue import phrasing
from voice.listen.reject import is_invention
from voice.listen.transcribe import WhisperRecogniser
from voice.loop.settings import VoiceSettings
from voice.speak.synthesise import load_synthesiser


def test_every_language_has_a_voice_and_a_named_one_is_kept() -> None:
    assert VoiceSettings.model_validate({}).voice == "en_US-joe-medium"
    assert VoiceSettings.model_validate({"language": "de"}).voice == "espeak-ng"
    assert VoiceSettings.model_validate({"language": "de", "voice": "de_DE-thorsten"}).voice == "de_DE-thorsten"


def test_german_is_spoken_by_espeak_where_there_is_no_piper_voice() -> None:
    for name in ("espeak-ng", "de_DE-not-there"):
        voice = load_synthesiser(name, language="de")
        assert voice.name == "espeak-ng de"
        assert len(voice.sentence("Backend wartet auf deine Antwort.").samples) > 10_000


def test_a_model_of_english_alone_refuses_another_language_and_names_the_one_that_serves() -> None:
    english = cast("Any", SimpleNamespace(model=SimpleNamespace(is_multilingual=False), hf_tokenizer=None))
    with pytest.raises(Unavailable, match=r"tiny\.en understands English only; set voice\.model .* to base"):
        WhisperRecogniser(english, "tiny.en", "de")


def test_a_language_without_phrases_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadRequest, match="there are: de, en"):
        phrasing.load("xx")


@pytest.mark.parametrize(
    "text", ["Untertitelung des ZDF, 2020", "Untertitel der Amara.org-Community", "Vielen Dank fürs Zuschauen!"]
)
def test_what_the_recogniser_invents_in_german_silence_is_dropped(text: str) -> None:
    assert is_invention(text)


def test_german_commands_are_no_inventions() -> None:
    assert not is_invention("Danke, lies es vor.") and not is_invention("Bis wann läuft Backend?")
