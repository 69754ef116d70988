"""Runs of letters into words: case is announced, camelCase split, words that sound like something else told apart."""

import re
from collections.abc import Iterator
from functools import lru_cache

from voice.speak.verbalise.phrases import Phrases, cardinal
from voice.speak.verbalise.tokens import Gap, Token

_VOWELS = frozenset("aeiouyäöü")
_FLAG_LETTERS = 3  # options of one dash up to this length are spelled: "-rf", not "-name"
_COUNTED = re.compile(r"(.)\1{3,}")


def letter_tokens(run: str, phrases: Phrases, *, flag: bool = False, exact: bool = True) -> Iterator[Token]:
    """The tokens of ``run``, which holds only the language's letters; ``flag``: it follows a single dash.

    Without ``exact`` (prose) case and words that sound alike are not told apart.
    """
    spell_all = flag and (len(run) <= _FLAG_LETTERS or not _VOWELS & set(run.lower()))
    for part in _parts(phrases.letters).findall(run):
        yield from _counted(part, phrases, spell_all, exact)


@lru_cache(maxsize=8)
def run_pattern(extra: str) -> re.Pattern[str]:
    """Matches a whole run of the language's letters."""
    return re.compile(f"[a-zA-Z{extra}{extra.upper()}]+")


@lru_cache(maxsize=8)
def _parts(extra: str) -> re.Pattern[str]:
    lower, upper = f"[a-z{extra}]", f"[A-Z{extra.upper()}]"
    return re.compile(f"{upper}+(?={upper}{lower})|{upper}?{lower}+|{upper}+")


def _counted(part: str, phrases: Phrases, spell_all: bool, exact: bool) -> Iterator[Token]:
    place = 0
    for match in _COUNTED.finditer(part):
        if match.start() > place:
            yield from _cased(part[place : match.start()], phrases, spell_all, exact)
        yield repeated(len(match[0]), _letter(match[1], phrases, exact), phrases)
        place = match.end()
    if place < len(part):
        yield from _cased(part[place:], phrases, spell_all, exact)


def repeated(count: int, unit: Token, phrases: Phrases) -> Token:
    """``unit`` said once with its count."""
    words = f"{phrases.marks['repeat']} {cardinal(count, phrases.cardinals)} {phrases.closers['times']} {unit.phrase}"
    return Token(words, unit.before, unit.after, dash=unit.dash)


def _cased(part: str, phrases: Phrases, spell_all: bool, exact: bool) -> Iterator[Token]:
    lower = part.lower()
    if len(part) == 1 or spell_all or (exact and lower in phrases.spelled):
        yield from (_letter(letter, phrases, exact) for letter in part)
    else:
        word = f"{phrases.marks['word']} {lower}" if exact and lower in phrases.announced else lower
        yield _word(part, word, phrases, exact)


def _word(part: str, word: str, phrases: Phrases, exact: bool) -> Token:
    if part.islower() or not exact:
        return Token(word, Gap.APART, Gap.APART, word=True)
    mark = phrases.marks["caps" if part.isupper() else "cap"]
    return Token(f"{mark} {word}", Gap.CLINGS, Gap.APART, word=True)


def _letter(letter: str, phrases: Phrases, exact: bool) -> Token:
    if letter.islower() or not exact:
        return Token(letter.lower(), Gap.APART, Gap.APART, letter=True)
    return Token(f"{phrases.marks['cap']} {letter.lower()}", Gap.CLINGS, Gap.APART, letter=True)
