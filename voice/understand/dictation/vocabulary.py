"""The words that stand for signs in dictated text, of one language, read from its sentence file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voice.understand.fold import fold, words
from voice.understand.numbers import NumberWords

Phrase = tuple[str, ...]

_LONGEST_NUMBER = 5  # words


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Spoken signs and what has to stand beside them, so that a sentence that merely holds one stays."""

    signs: Mapping[Phrase, str] = field(default_factory=dict)  # words as spoken: name of the sign
    plain: frozenset[str] = frozenset()  # small words that are never part of a name, a path or an option
    about: frozenset[str] = frozenset()  # behind "new line": then it is a thing that is talked about
    cues: frozenset[str] = frozenset()  # before "camel case ...": a name follows
    counters: frozenset[str] = frozenset()  # before a number that is written in figures
    joining: frozenset[str] = frozenset()  # of these, those whose figures run together ("port eighty eighty")
    options: frozenset[Phrase] = frozenset()  # long options of several words
    extensions: frozenset[str] = frozenset()
    dotfiles: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    either: frozenset[Phrase] = frozenset()  # words that are written with a slash between them
    numbers: NumberWords = field(default_factory=NumberWords)

    @property
    def longest_sign(self) -> int:
        """Words of the longest sign."""
        return max(map(len, self.signs), default=0)

    def is_number(self, word: str) -> bool:
        """Whether ``word`` may be part of a number."""
        table = self.numbers
        return word.isdecimal() or word in table.cardinals or word in table.multipliers or word in table.zeros

    def figures(self, run: Sequence[str]) -> tuple[str, int]:
        """``run`` in figures, and how many numbers were said: "eighty eighty" is "8080" in two; nothing when none."""
        digits = ["0" if word in self.numbers.zeros else (self.numbers.digit(word) or "") for word in run]
        if run and all(len(digit) == 1 for digit in digits):
            return "".join(digits), len(run)
        found, at = "", 0
        for count in range(len(run)):
            if at == len(run):
                return found, count
            longest = min(len(run), at + _LONGEST_NUMBER)
            end = next((end for end in range(longest, at, -1) if self._said(run[at:end]) is not None), at)
            if end == at:
                return "", 0
            found, at = f"{found}{self._said(run[at:end])}", end
        return (found, len(run)) if run and at == len(run) else ("", 0)

    def _said(self, part: Sequence[str]) -> str | None:
        if part[0] in self.numbers.joiners or part[-1] in self.numbers.joiners:
            return None
        if len(part) == 1 and part[0].isdecimal():
            return part[0]
        if len(part) > 1 and any(word.isdecimal() for word in part):
            return None
        number = self.numbers.number(part)
        return None if number is None else str(number)


def vocabulary(data: Mapping[str, Any], numbers: NumberWords) -> Vocabulary:
    """From the ``dictation`` part of a sentence file; of an empty one nothing is ever rewritten."""
    signs = {words(str(form)): name for name, forms in data.get("signs", {}).items() for form in forms}
    return Vocabulary(
        signs=signs,
        plain=_folded(data.get("plain", ())),
        about=_folded(data.get("about", ())),
        cues=_folded(data.get("cues", ())),
        counters=_folded(data.get("counters", ())),
        joining=_folded(data.get("joining", ())),
        options=frozenset(words(str(option)) for option in data.get("options", ())),
        extensions=_folded(data.get("extensions", ())),
        dotfiles=_folded(data.get("dotfiles", ())),
        folders=_folded(data.get("folders", ())),
        roots=_folded(data.get("roots", ())),
        either=frozenset(words(str(pair)) for pair in data.get("either", ())),
        numbers=numbers,
    )


def _folded(listed: Iterable[object]) -> frozenset[str]:
    return frozenset(fold(str(word)) for word in listed)
