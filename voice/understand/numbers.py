"""Number words to numbers, by a table of the language's words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NumberWords:
    """Words of one language: cardinals below a hundred, multipliers, ordinals, joining words, spoken zeros."""

    cardinals: Mapping[str, int] = field(default_factory=dict)
    multipliers: Mapping[str, int] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    joiners: frozenset[str] = frozenset()
    zeros: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()  # of an ordinal in figures: "2nd"

    def digit(self, word: str) -> str | None:
        """``word`` as one figure or a numeral ("two" and "2" as "2"), else None."""
        if word.isdecimal():
            return word
        value = self.cardinals.get(word)
        return None if value is None else str(value)

    def number(self, words: Sequence[str]) -> int | None:
        """The number that ``words`` say, all of them; ordinals count as their number; None if they say none."""
        if not words:
            return None
        if len(words) == 1:
            return self._single(words[0])
        return self._sum(words) if not self._only_digits(words) else int("".join(self._figures(words)))

    def _single(self, word: str) -> int | None:
        if word.isdecimal():
            return int(word) if len(word) < 10 else None
        for suffix in self.suffixes:
            if word.endswith(suffix) and word.removesuffix(suffix).isdecimal():
                return int(word.removesuffix(suffix))
        for table in (self.cardinals, self.ordinals, self.multipliers):
            if word in table:
                return table[word]
        return None

    def _figures(self, words: Sequence[str]) -> list[str]:
        return ["0" if w in self.zeros else (self.digit(w) or "") for w in words]

    def _only_digits(self, words: Sequence[str]) -> bool:
        return len(words) < 10 and all(len(figure) == 1 for figure in self._figures(words))

    def _sum(self, words: Sequence[str]) -> int | None:
        total, part, last = 0, 0, 1_000_000
        for index, word in enumerate(words):
            if word in self.joiners and 0 < index < len(words) - 1:
                continue
            value = self._single(word)
            if value is None:
                return None
            if word in self.multipliers:
                part, last = max(1, part) * value, value
                if value >= 1000:
                    total, part = total + part, 0
                continue
            if value >= last or (part % 100 and (value >= 10 or part % 10)):
                return None
            part, last = part + value, (10 if value >= 20 else 1)
        return total + part
