"""German is another set of files and nothing else: what is said, what is answered, what decides."""

import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml

from engine.gates.consent.lexicon import languages as languages_of_consent
from engine.gates.consent.lexicon import lexicon
from engine.gates.consent.sentence import classify
from voice.deciding import deciding_word
from voice.dialogue import phrasing
from voice.understand.fold import words
from voice.understand.grammar import SENTENCES, desk
from voice.understand.intents import Intent, Understanding, Unfinished
from voice.understand.prompt import desk_examples

TABLE = yaml.safe_load((Path(__file__).parents[2] / "data" / "utterances_de.yaml").read_text("utf-8"))
GERMAN = desk("de")
DESK = Understanding.of(GERMAN, {"agents": TABLE["agents"], "projects": TABLE["projects"]})
LANGUAGES = sorted(path.stem for path in SENTENCES.glob("*.yaml"))


def _cases() -> list[tuple[str, str | None, dict[str, Any]]]:
    found = []
    for meaning, utterances in TABLE["cases"].items():
        name, *pairs = (part.strip() for part in meaning.split(";"))
        slots = {slot: int(v) if v.isdigit() else v for slot, v in (pair.split("=", 1) for pair in pairs)}
        found += [(str(utterance), None if name == "none" else name, slots) for utterance in utterances]
    return found


CASES = _cases()


@pytest.mark.parametrize(("utterance", "name", "slots"), CASES, ids=[case[0][:60] for case in CASES])
def test_german_utterance_means_what_people_mean(utterance: str, name: str | None, slots: dict[str, Any]) -> None:
    understood = DESK.understand_text(utterance)
    if name is None:
        assert not isinstance(understood, Intent)
        return
    assert isinstance(understood, Intent), understood
    assert (understood.name, dict(understood.slots)) == (name, slots)


def test_german_table_holds_every_intent() -> None:
    assert {group.intent for group in GERMAN.groups} == {name for _, name, _ in CASES if name}
    assert len(CASES) >= 60


def test_german_command_that_breaks_off_is_unfinished() -> None:
    assert isinstance(DESK.understand_text("Sag Backend"), Unfinished)
    assert DESK.completeness("Sag Backend es soll") == "dangling"


def test_every_language_has_the_same_files_and_the_same_intents() -> None:
    assert LANGUAGES == list(phrasing.languages()) == list(languages_of_consent())
    english = {group.intent for group in desk("en").groups}
    for language in LANGUAGES:
        grammar = desk(language)
        assert {group.intent for group in grammar.groups} == english, language
        assert grammar.exact == desk("en").exact and grammar.approving == desk("en").approving


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_phrase_exists_in_every_language_with_the_same_values(language: str) -> None:
    english, other = phrasing.load("en").say, phrasing.load(language).say
    assert set(other) == set(english)
    for key, phrase in english.items():
        assert _values(other[key]) == _values(phrase), key


def _values(phrase: Any) -> set[str]:
    text = phrase if isinstance(phrase, str) else phrase["other"]
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_in_or_after_a_reading_could_consent(language: str) -> None:
    spoken = phrasing.load(language)
    for key, phrase in spoken.say.items():
        for text in [phrase] if isinstance(phrase, str) else phrase.values():
            plain = re.sub(r"\{[a-z_]*\}", "", text)
            assert key in {"help", "ask.approve"} or not set(words(plain)) & spoken.consent, key
            for judging in LANGUAGES:
                assert classify(plain, judging).kind != "approves", key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_of_approval_is_without_a_word_that_is_kept_out_of_every_prompt(language: str) -> None:
    deciding = lexicon(language).unprompted
    grammar = desk(language)
    desk_ = Understanding.of(grammar, {"agents": ["backend"], "projects": ["Apollo"]})
    said = [text for text in _approvals(language) if classify(text, language, ["backend"]).kind == "approves"]
    assert len(said) >= 5
    for text in said:
        assert any(" ".join(phrase) in text.casefold() for phrase in deciding), text
        assert deciding_word(text) is not None
        understood = desk_.understand_text(text)
        assert not isinstance(understood, Intent) or understood.name in grammar.approving, text


def _approvals(language: str) -> list[str]:
    return {
        "en": ["I approve", "I approve it", "approve the gate", "I approve, tango", "yes, I approve", "approve it"],
        "de": ["Ich genehmige", "Ich genehmige es", "Genehmige die Frage", "Ich genehmige, Tango", "Ja, ich genehmige"],
    }[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompt_of_no_language_holds_a_word_that_decides_in_any(language: str) -> None:
    names = {"agents": ("backend", "codex"), "projects": ("Apollo",)}
    templates = desk(language).prompt
    assert len(templates) >= 12 and all(deciding_word(template) is None for template in templates)
    assert len(desk_examples(names, templates)) >= 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_time_words_of_the_sentences_are_those_of_consent(language: str) -> None:
    assert set(desk(language).lists["word"]["values"]) == set(lexicon(language).words)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("nimm Port achtzig achtzig", "nimm Port 8080"),
        ("starte es mit minus minus dry run", "starte es mit --dry-run"),
        ("rm minus r f build", "rm -rf build"),
        ("öffne src Schrägstrich main Punkt py", "öffne src/main.py"),
        ("prüfe Zeile zweiundvierzig", "prüfe Zeile 42"),
        ("behebe den Fehler. Neue Zeile. Dann teste.", "behebe den Fehler.\nDann teste."),
        ("rufe main Klammer auf Klammer zu", "rufe main()"),
        ("mach einen Punkt hinter den Satz", "mach einen Punkt hinter den Satz"),
        ("fang eine neue Zeile an", "fang eine neue Zeile an"),
    ],
)
def test_german_signs_are_written(said: str, text: str) -> None:
    from voice.understand.dictation import written

    assert written(said, GERMAN.dictation) == text
