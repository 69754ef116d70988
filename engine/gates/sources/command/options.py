"""Options of a program's arguments: clusters, values, abbreviated long names. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.gates.sources.command.words import Word


@dataclass(slots=True)
class Options:
    """What was given: single letters, long names with their values, and the operands."""

    short: set[str] = field(default_factory=set)
    long: dict[str, str | None] = field(default_factory=dict)
    values: dict[str, list[Word]] = field(default_factory=dict)
    operands: list[Word] = field(default_factory=list)
    after_dashes: list[Word] = field(default_factory=list)  # what follows ``--``
    dashes: bool = False

    def has(self, *names: str) -> bool:
        """Whether any of these was given: ``f`` a letter, ``force`` a long name (an abbreviation counts)."""
        return any(name in self.short if len(name) == 1 else self._long(name) for name in names)

    def _long(self, name: str) -> bool:
        return any(given == name or (len(given) > 1 and name.startswith(given)) for given in self.long)

    def value(self, *names: str) -> str | None:
        """The last value of one of these options, as text."""
        for name in names:
            if self.values.get(name):
                return self.values[name][-1].text
        return None


def parse(args: Sequence[Word], with_value: Iterable[str] = (), *, stop_early: bool = False) -> Options:
    """Read ``args``; ``with_value`` names options that take one. ``stop_early``: operands end the options."""
    takes = frozenset(with_value)
    got = Options()
    rest = list(args)
    while rest:
        word = rest.pop(0)
        text = word.text
        if text == "--":
            got.dashes = True
            got.after_dashes = rest
            got.operands += rest
            break
        if text.startswith("--"):
            _long(text, word, rest, takes, got)
        elif text.startswith("-") and len(text) > 1:
            _short(text, word, rest, takes, got)
        else:
            got.operands.append(word)
            if stop_early:
                got.operands += rest
                break
    return got


def _long(text: str, word: Word, rest: list[Word], takes: frozenset[str], got: Options) -> None:
    name, equals, value = text[2:].partition("=")
    got.long[name] = value if equals else None
    if equals:
        got.values.setdefault(name, []).append(Word(value, word.known, word.glob, word.quoted, value))
    elif name in takes and rest:
        got.values.setdefault(name, []).append(rest.pop(0))


def _short(text: str, word: Word, rest: list[Word], takes: frozenset[str], got: Options) -> None:
    if text[1:] in takes and len(text) > 2:  # a long name after one dash (find, terraform, java)
        got.long[text[1:]] = None
        if rest:
            got.values.setdefault(text[1:], []).append(rest.pop(0))
        return
    for index, letter in enumerate(text[1:], start=2):
        got.short.add(letter)
        if letter in takes:
            if text[index:]:
                tail = text[index:].removeprefix("=")
                got.values.setdefault(letter, []).append(Word(tail, word.known, word.glob, word.quoted, tail))
            elif rest:
                got.values.setdefault(letter, []).append(rest.pop(0))
            return
