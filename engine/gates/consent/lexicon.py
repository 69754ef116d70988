"""The words of consent of one language, read from ``language/<code>.yaml`` and checked once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.domain.errors import BadRequest, ConsentCondition
from engine.gates.consent.template import Node, parse
from engine.gates.consent.tokens import tokens

FOLDER = Path(__file__).parent / "language"
FEWEST_WORDS = 12

Phrase = tuple[str, ...]


class LanguageFile(BaseModel):
    """The file as written; every list is of phrases, folded like utterances."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    approvals: list[str] = Field(min_length=1)
    parts: dict[str, str]
    things: dict[str, list[str]]
    refusals: list[str] = Field(min_length=1)
    hedges: list[str]
    quoting: list[str]
    third_person: list[str]
    questions: list[str]
    standing: list[str]
    yes_words: list[str]
    unprompted: list[str] = Field(min_length=1)
    words: dict[str, list[str]] = Field(min_length=FEWEST_WORDS)
    sound_refusals: list[str] = Field(min_length=1)
    numbers: dict[str, str]
    choice_words: list[str]
    choice_leads: list[str]
    sentences: dict[str, str]

    @model_validator(mode="after")
    def _sound(self) -> "LanguageFile":
        missing = sorted(set(get_args(ConsentCondition)) - set(self.sentences))
        if missing:
            raise ValueError(f"sentences are missing for {', '.join(missing)}")
        spellings = [form for word, forms in self.words.items() for form in (word, *forms)]
        twice = sorted({form for form in spellings if spellings.count(form) > 1})
        if twice:
            raise ValueError(f"these spellings stand for two words: {', '.join(twice)}")
        return self


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language, ready for matching. ``spellings`` maps each form of a one-time word to the word."""

    code: str
    approvals: tuple[Node, ...]
    things: Mapping[str, tuple[Phrase, ...]]
    refusals: tuple[Phrase, ...]
    hedges: tuple[Phrase, ...]
    quoting: tuple[Phrase, ...]
    third_person: tuple[Phrase, ...]
    questions: tuple[Phrase, ...]
    standing: tuple[Phrase, ...]
    yes_words: tuple[Phrase, ...]
    unprompted: tuple[Phrase, ...]
    spellings: Mapping[Phrase, str]
    words: tuple[str, ...]
    sound_refusals: tuple[str, ...]
    numbers: Mapping[str, str]
    choice_words: frozenset[str]
    choice_leads: frozenset[str]
    sentences: Mapping[str, str]


def languages() -> tuple[str, ...]:
    """The codes that have a file."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def lexicon(code: str) -> Lexicon:
    """The language ``code``; raises BadRequest naming those that exist."""
    if code not in languages():
        raise BadRequest(f"There is no language of consent {code!r}; there are {', '.join(languages())}.")
    text = (FOLDER / f"{code}.yaml").read_text(encoding="utf-8")
    return build(code, LanguageFile.model_validate(yaml.safe_load(text)))


def build(code: str, file: LanguageFile) -> Lexicon:
    """Fold and compile a language file."""
    return Lexicon(
        code=code,
        approvals=tuple(parse(form, file.parts) for form in file.approvals),
        things={name: _phrases(forms) for name, forms in file.things.items()},
        refusals=_phrases(file.refusals),
        hedges=_phrases(file.hedges),
        quoting=_phrases(file.quoting),
        third_person=_phrases(file.third_person),
        questions=_phrases(file.questions),
        standing=_phrases(file.standing),
        yes_words=_phrases(file.yes_words),
        unprompted=_phrases(file.unprompted),
        spellings={tokens(form): word for word, forms in file.words.items() for form in (word, *forms)},
        words=tuple(file.words),
        sound_refusals=tuple(file.sound_refusals),
        numbers=dict(file.numbers),
        choice_words=frozenset(file.choice_words),
        choice_leads=frozenset(file.choice_leads),
        sentences=dict(file.sentences),
    )


def _phrases(forms: list[str]) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(tokens(form) for form in forms))
