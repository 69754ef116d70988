"""What a slot takes: names of the roster, values of a list, numbers, sessions, or the user's own words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from voice.understand.fold import Token, fold, split_camel, verbatim, words
from voice.understand.numbers import NumberWords
from voice.understand.sounds_like import SAME_SOUND, distance

Value = str | int

_LONGEST_NUMBER = 5  # words
_WILDCARD = 0.05  # what free text costs, so that a sentence that names the words wins
_POSSESSIVE = 0.06  # what "backend's" costs as "backend"


@dataclass(frozen=True, slots=True)
class Match:
    """A value found on the words up to ``end``; ``unsure`` when it was only near."""

    end: int
    value: Value
    cost: float
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """The utterance that is parsed: its text and its words."""

    text: str
    tokens: tuple[Token, ...]
    numbers: NumberWords

    def words(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(token.word for token in self.tokens[start:end])


class SlotList(Protocol):
    """Finds values that begin at one word of what was heard."""

    def matches(self, heard: Heard, start: int) -> Iterator[Match]: ...

    def examples(self) -> Sequence[str]:
        """Values as people say them, for prompts and help."""
        ...


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The user's own words, verbatim; words that only lead on (``empty``) are none."""

    empty: frozenset[str] = frozenset()

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        for end in range(start + 1, len(heard.tokens) + 1):
            if self.empty.issuperset(heard.words(start, end)):
                continue
            text = verbatim(heard.text, heard.tokens[start:end])
            yield Match(end, text, _WILDCARD + 0.001 * (end - start))

    def examples(self) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A number from ``first`` to ``last``, as figures or words, cardinal or ordinal."""

    first: int
    last: int

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        for end in range(start + 1, min(len(heard.tokens), start + _LONGEST_NUMBER) + 1):
            value = heard.numbers.number(heard.words(start, end))
            if value is not None and self.first <= value <= self.last:
                yield Match(end, value, 0.0)

    def examples(self) -> Sequence[str]:
        return (str(self.first), str(min(self.last, self.first + 1)))


@dataclass(frozen=True, slots=True)
class SessionNumbers:
    """A session as people say it ("s twelve", "S-12", "number 12"); the value is "S-12"."""

    prefixes: frozenset[str]

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        first = heard.tokens[start].word if start < len(heard.tokens) else ""
        if len(first) > 1 and first[0] == "s" and first[1:].isdecimal():
            yield Match(start + 1, f"S-{int(first[1:])}", 0.0)
        begin = start + 1 if first in self.prefixes else start
        for match in NumberRange(1, 999_999).matches(heard, begin):
            yield Match(match.end, f"S-{match.value}", 0.0)

    def examples(self) -> Sequence[str]:
        return ("S-12",)


@dataclass(frozen=True, slots=True)
class Name:
    """A value with its spoken forms, folded and run together ("apigateway")."""

    value: Value
    forms: frozenset[str]
    longest: int  # words that it may be spoken in


def name(value: str, numbers: NumberWords, symbols: Mapping[str, str]) -> Name:
    """The spoken forms of a name: CamelCase and signs apart, figures as said, signs named or left out."""
    spoken = split_camel(value)
    named = "".join(f" {symbols[c]} " if c in symbols else c for c in spoken)
    plain = words(spoken)
    forms = {"".join(plain), "".join(words(named))}
    forms.update("".join(_figures(part, numbers)) for part in (plain, words(named)))
    forms.update(_without_zeros(form) for form in tuple(forms))
    counted = len(words(named)) + sum(len(word) for word in plain if word.isdecimal() or len(word) <= 4)
    return Name(value, frozenset(form for form in forms if form), min(12, counted + 2))


@dataclass(frozen=True, slots=True)
class AnyName:
    """Whatever stands where a name would: to say that it is unknown."""

    common: frozenset[str]
    longest: int = 3  # words

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        for end in range(start + 1, min(len(heard.tokens), start + self.longest) + 1):
            if self.common.isdisjoint(heard.words(start, end)):
                yield Match(end, verbatim(heard.text, heard.tokens[start:end]), 0.1 * (end - start), unsure=True)

    def examples(self) -> Sequence[str]:
        return ()


def _without_zeros(form: str) -> str:
    """ "B-04" is said "b four" too."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", form)


def _figures(spoken: Sequence[str], numbers: NumberWords) -> list[str]:
    """Number words as figures; a spoken nought between letters or figures as 0."""
    return ["0" if word in numbers.zeros else (numbers.digit(word) or word) for word in spoken]


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the roster. The same spelling or sound is a match; a merely near one is ``unsure``."""

    entries: tuple[Name, ...]
    near: float = 0.3  # distance up to which a name is worth asking about

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        longest = max((entry.longest for entry in self.entries), default=0)
        for end in range(start + 1, min(len(heard.tokens), start + longest) + 1):
            spoken = heard.words(start, end)
            said = {"".join(spoken), "".join(_figures(spoken, heard.numbers))}
            for entry in self.entries:
                if end - start <= entry.longest:
                    yield from self._judge(entry, said, end)

    def _judge(self, entry: Name, said: set[str], end: int) -> Iterator[Match]:
        if said & entry.forms:
            yield Match(end, entry.value, 0.0)
            return
        if any(text.endswith("s") and text[:-1] in entry.forms for text in said):
            yield Match(end, entry.value, _POSSESSIVE)
            return
        gap = min((distance(a, b) for a in said for b in entry.forms), default=1.0)
        if gap <= SAME_SOUND and not _differ_in_figures(said, entry.forms):
            yield Match(end, entry.value, SAME_SOUND)
        elif gap <= self.near:
            yield Match(end, entry.value, gap, unsure=True)

    def examples(self) -> Sequence[str]:
        return tuple(" ".join(words(split_camel(str(entry.value)))) for entry in self.entries)


def _differ_in_figures(said: set[str], forms: frozenset[str]) -> bool:
    """Figures are never near: "B-04" is not "B-05"."""
    figures = {"".join(c for c in form if c.isdigit()) for form in forms}
    return all("".join(c for c in text if c.isdigit()) not in figures for text in said)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The values of a list in a sentence file: (words as spoken, value)."""

    entries: tuple[tuple[str, Value], ...]
    near: float = 0.45  # distance up to which sounds count as the value, at twice their distance

    def matches(self, heard: Heard, start: int) -> Iterator[Match]:
        for spoken, value in self.entries:
            count = spoken.count(" ") + 1
            for end in range(start + max(1, count - 1), min(len(heard.tokens), start + count + 2) + 1):
                gap = distance(" ".join(heard.words(start, end)), spoken)
                if gap <= self.near:
                    yield Match(end, value, 2 * gap * count**0.5)

    def examples(self) -> Sequence[str]:
        return tuple(dict.fromkeys(spoken for spoken, _ in self.entries))


def phrase(text: str, value: Value) -> tuple[str, Value]:
    """An entry of :class:`Phrases`."""
    return " ".join(words(fold(text))), value
