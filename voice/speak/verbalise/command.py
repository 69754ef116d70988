"""Commands and paths: everything is said, and the words can be read back to exactly one text."""

import re
from collections.abc import Iterator

from voice.speak.verbalise.hide import Hidden
from voice.speak.verbalise.lexer import gap_tokens, read
from voice.speak.verbalise.phrases import Phrases, cardinal
from voice.speak.verbalise.tokens import Gap, Placed, Token, usual_gap

_START = Token("", Gap.ALWAYS_CLINGS, Gap.ALWAYS_CLINGS)


def speak_exact(
    text: str, stretches: tuple[Hidden, ...], phrases: Phrases, *, exact: bool = True, spell_gaps: bool = False
) -> str:
    """The spoken form of ``text``; if ``exact``, distinct texts give distinct words (up to check words)."""
    placed = read(text, stretches, phrases, exact=exact, spell_gaps=spell_gaps)
    if len(placed) == 1 and not placed[0].gap:
        return phrases.marks["empty"]
    return re.sub(r"\s*,\s*$", "", "".join(_spoken(placed, phrases, exact)).strip())


def _spoken(placed: tuple[Placed, ...], phrases: Phrases, exact: bool) -> Iterator[str]:
    left = _START
    for current in placed:
        yield _between(left, current, phrases, exact)
        yield current.token.phrase
        left = current.token


def _between(left: Token, current: Placed, phrases: Phrases, exact: bool) -> str:
    gap = current.gap
    first, last = left is _START, not current.token.phrase
    usual = "" if first or last else usual_gap(left, current.token)
    if gap == usual and not (gap and current.spell_gap):
        return _pause(left, current) if gap else " "
    if not exact and gap in ("", " "):
        return " "
    if not gap:
        return f" {phrases.marks['joined']} "
    return f" {' '.join(_gap_words(gap, phrases))} "


def _pause(left: Token, current: Placed) -> str:
    plain = current.quoted or (left.word and current.token.word)
    return " " if plain else ", "


def _gap_words(gap: str, phrases: Phrases) -> Iterator[str]:
    names = {" ": phrases.marks["space"], "\t": phrases.marks["tab"], "\n": phrases.marks["newline"]}
    for blank, count in gap_tokens(gap):
        if count > 1:
            yield phrases.marks["repeat"]
            yield cardinal(count, phrases.cardinals)
            yield phrases.closers["times"]
        yield names[blank]
