"""One language's phrases and small words, as its file gives them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.domain.errors import BadRequest
from voice.understand.fold import fold
from voice.understand.numbers import NumberWords

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Phrases:
    """``say``: sentences by their keys, with places for values; those that count have a form for one and for others."""

    language: str
    say: Mapping[str, str | Mapping[str, str]]
    yes: frozenset[str]
    passed_over: frozenset[str]
    last: frozenset[str]
    consent: frozenset[str]
    numbers: NumberWords
    count_words: tuple[str, ...]
    and_: str
    or_: str


def languages() -> tuple[str, ...]:
    """The languages that have phrases."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def fields(language: str) -> dict[str, Any]:
    """The fields of :class:`Phrases` from ``<language>.yaml``; an unknown language is a :class:`BadRequest`."""
    if language not in languages():
        raise BadRequest(f"There are no phrases for the language {language!r}; there are: {', '.join(languages())}.")
    data = yaml.safe_load((FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))
    numbers = data["numbers"]
    return {
        "language": language,
        "say": data["say"],
        **{name: _folded(data[name]) for name in ("yes", "passed_over", "last", "consent")},
        "numbers": NumberWords(
            cardinals=_keys(numbers["cardinals"]),
            ordinals=_keys(numbers["ordinals"]),
            suffixes=tuple(map(fold, numbers["suffixes"])),
        ),
        "count_words": tuple(data["count_words"]),
        "and_": data["and"],
        "or_": data["or"],
    }


def _folded(listed: list[str]) -> frozenset[str]:
    return frozenset(fold(word) for word in listed)


def _keys(numbers: Mapping[str, int]) -> dict[str, int]:
    return {fold(word): value for word, value in numbers.items()}
