"""The words of one language, loaded from its YAML file once."""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from engine.domain.errors import BadRequest


class UnknownLanguage(BadRequest):
    """No data file for this language; the sentence lists those that there are."""


@dataclass(frozen=True, slots=True)
class Cardinals:
    """What spoken counts below a thousand are made of."""

    small: tuple[str, ...]  # zero to nineteen
    tens: tuple[str, ...]  # twenty, thirty, ... ninety
    hundred: str
    units_first: bool  # German order: one-and-twenty


@dataclass(frozen=True, slots=True)
class Phrases:
    """Everything that is said in one language; symbol keys are exact text."""

    language: str
    symbols: dict[str, str]
    marks: dict[str, str]
    closers: dict[str, str]
    digits: tuple[str, ...]
    cardinals: Cardinals
    letters: str  # plain letters besides a to z
    sounds_like_symbol: frozenset[str]
    spelled: frozenset[str]
    controls: dict[int, str]
    secret_kinds: dict[str, str]
    check_words: tuple[str, ...]
    sentences: dict[str, str]
    announced: frozenset[str]  # words that would be taken for a phrase, so that they follow the "word" mark

    def codewords(self) -> list[str]:
        """Every phrase that may begin a token, for the check that none is the beginning of another."""
        return [*self.symbols.values(), *self.marks.values(), *self.digits]

    def sentence(self, name: str, **values: object) -> str:
        """The sentence called ``name`` with its places filled."""
        return self.sentences[name].format(**values)

    def counted(self, noun: str, count: int) -> str:
        """``line``, ``file`` or ``json_item`` in the right number."""
        form = "one" if count == 1 else "many"
        return self.sentences[f"{noun}_{form}"].format(count=cardinal(count, self.cardinals))


def cardinal(count: int, words: Cardinals) -> str:
    """``count`` in words below a thousand, in figures above."""
    if count < 20:
        return words.small[count]
    if count < 100:
        ten, unit = words.tens[count // 10 - 2], count % 10
        if not unit:
            return ten
        return f"{words.small[unit]}und{ten}" if words.units_first else f"{ten} {words.small[unit]}"
    if count < 1000:
        rest = cardinal(count % 100, words) if count % 100 else ""
        return f"{words.small[count // 100]} {words.hundred} {rest}".strip()
    return str(count)


@lru_cache(maxsize=8)
def load(language: str) -> Phrases:
    """The phrases of ``language`` ("en", "de"); :class:`UnknownLanguage` when it has no file."""
    folder = resources.files(__package__)
    known = sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    if language not in known:
        raise UnknownLanguage(
            f"There is no spoken form for the language {language!r}; choose one of: {', '.join(known)}."
        )
    return _build(language, yaml.safe_load((folder / f"{language}.yaml").read_text(encoding="utf-8")))


def _build(language: str, data: dict[str, Any]) -> Phrases:
    phrases = [*data["symbols"].values(), *data["marks"].values(), *data["digits"]]
    first_words = {phrase.split()[0] for phrase in phrases}
    sounds = frozenset(data["sounds_like_symbol"])
    cardinals = data["cardinals"]
    return Phrases(
        language=language,
        symbols=data["symbols"],
        marks=data["marks"],
        closers=data["closers"],
        digits=tuple(data["digits"]),
        cardinals=Cardinals(
            small=tuple(cardinals["small"]),
            tens=tuple(cardinals["tens"]),
            hundred=cardinals["hundred"],
            units_first=cardinals["units_first"],
        ),
        letters=data["letters"],
        sounds_like_symbol=sounds,
        spelled=frozenset(data["spelled"]),
        controls=data["controls"],
        secret_kinds=data["secret_kinds"],
        check_words=tuple(data["check_words"]),
        sentences=data["sentences"],
        announced=frozenset(first_words | sounds),
    )
