"""Language files: checked when read, so that a slip in one is found before anyone speaks."""

import pytest
import yaml

from engine.domain.errors import BadRequest
from engine.gates.consent.lexicon import FOLDER, LanguageFile, languages, lexicon
from engine.gates.consent.sentence import classify
from engine.gates.consent.template import parse
from engine.gates.consent.tokens import has_phrase, tokens
from engine.gates.consent.words import sound


@pytest.mark.parametrize("code", languages())
def test_every_language_has_far_apart_words_that_are_no_other_form(code: str) -> None:
    lex = lexicon(code)
    assert len(lex.words) >= 12
    assert len({sound(word) for word in lex.words}) == len(lex.words)
    for form in lex.spellings:
        assert not has_phrase(form, lex.refusals)
        assert not has_phrase(form, lex.standing)


@pytest.mark.parametrize("code", languages())
def test_no_sentence_of_refusal_is_itself_an_approval(code: str) -> None:
    for said in (*lexicon(code).sentences.values(), *lexicon(code).sound_refusals):
        assert classify(said, code).kind != "approves"


@pytest.mark.parametrize("code", languages())
def test_every_refusal_to_be_scored_refuses(code: str) -> None:
    for said in lexicon(code).sound_refusals:
        assert classify(said, code).kind == "refuses", said


def test_unknown_language_names_those_that_exist() -> None:
    with pytest.raises(BadRequest, match="de, en"):
        lexicon("xx")


def test_spelling_of_two_words_is_refused() -> None:
    given = yaml.safe_load((FOLDER / "en.yaml").read_text(encoding="utf-8"))
    given["words"]["tango"] = ["umbrella"]
    with pytest.raises(ValueError, match="two words: umbrella"):
        LanguageFile.model_validate(given)


@pytest.mark.parametrize("form", ["a (b", "[a", "a ) b", "<nowhere>"])
def test_malformed_form_is_refused(form: str) -> None:
    with pytest.raises(ValueError):
        parse(form, {})


def test_parts_in_a_circle_are_refused() -> None:
    with pytest.raises(ValueError, match="deeply"):
        parse("<a>", {"a": "<b>", "b": "<a>"})


def test_tokens_fold_apostrophes_and_case() -> None:
    assert tokens("Don’t DO_that, O'Brien!") == ("dont", "do", "that", "obrien")
