"""Exact text into placed tokens: every character ends up in exactly one token or gap."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from voice.speak.verbalise.characters import named
from voice.speak.verbalise.hide import Hidden
from voice.speak.verbalise.letters import letter_tokens, repeated, run_pattern
from voice.speak.verbalise.phrases import Phrases
from voice.speak.verbalise.tokens import Gap, Placed, Token

_BLANKS = re.compile(r"[ \t\n]+")
_QUOTED_NAME_WORDS = 4  # blanks inside a quoted text of up to so many words are said: it may be a name
_COUNTED_DIGITS = 3
_COUNTED_SYMBOLS = 4
_OPERATORS = frozenset({"&&", "||", "|", ">", ">>", "<", "<<", "2>", "2>>", "2>&1"})
_OPENERS, _CLOSERS, _PREFIXES = frozenset("([{"), frozenset(")]}"), frozenset("$\\")


@dataclass
class _Place:
    """Where the reader stands: what it has placed, what blanks it holds, which quotes are open."""

    text: str
    phrases: Phrases
    exact: bool
    spell_all_gaps: bool
    at: int = 0
    gap: str = ""
    placed: list[Placed] = field(default_factory=list)
    open_quotes: set[str] = field(default_factory=set)
    name_until: int = -1  # end of a quoted name, exclusive

    @property
    def at_word_start(self) -> bool:
        return bool(self.gap) or not self.placed

    def put(self, token: Token) -> None:
        spell = self.spell_all_gaps or self.at <= self.name_until
        self.placed.append(Placed(self.gap, token, quoted=bool(self.open_quotes), spell_gap=spell))
        self.gap = ""


def read(
    text: str, stretches: tuple[Hidden, ...], phrases: Phrases, *, exact: bool = True, spell_gaps: bool = False
) -> tuple[Placed, ...]:
    """The tokens of ``text``; the last one is an empty token that carries the blanks at the end."""
    place = _Place(text, phrases, exact, spell_gaps)
    starts = {stretch.start: stretch for stretch in stretches}
    while place.at < len(text):
        stretch = starts.get(place.at)
        if stretch:
            place.put(Token(stretch.phrase, Gap.APART, Gap.APART))
            place.at = stretch.end
        else:
            limit = min((start for start in starts if start > place.at), default=len(text))
            _step(place, limit)
    place.put(Token("", Gap.ALWAYS_CLINGS, Gap.ALWAYS_CLINGS))
    return tuple(place.placed)


def _step(place: _Place, limit: int) -> None:
    char = place.text[place.at]
    if blanks := _BLANKS.match(place.text, place.at, limit):
        place.gap += blanks[0]
        place.at = blanks.end()
    elif letters := run_pattern(place.phrases.letters).match(place.text, place.at, limit):
        _letters(place, letters)
    elif char in "\"'":
        _quote(place, char)
    elif char == "-":
        _dashes(place, limit)
    elif symbol := _symbol(place, limit):
        _symbols(place, symbol, limit)
    elif char.isascii() and char.isdigit():
        _digits(place, limit)
    else:
        place.put(Token(named(char, place.phrases), Gap.CLINGS, Gap.CLINGS))
        place.at += 1


def _letters(place: _Place, match: re.Match[str]) -> None:
    before = place.placed[-1].token if place.placed else None
    flag = (
        not place.gap and before is not None and before.dash and place.text[match.start() - 2 : match.start()] != "--"
    )
    for token in letter_tokens(match[0], place.phrases, flag=flag, exact=place.exact):
        place.put(token)
    place.at = match.end()


def _quote(place: _Place, char: str) -> None:
    name = "quote" if char == '"' else "single_quote"
    if char in place.open_quotes:
        place.open_quotes.discard(char)
        place.put(Token(place.phrases.marks[name.replace("quote", "unquote")], Gap.ALWAYS_CLINGS, Gap.APART))
    else:
        place.put(Token(place.phrases.marks[name], Gap.APART, Gap.ALWAYS_CLINGS))
        place.open_quotes.add(char)
        _note_quoted_name(place, char)
    place.at += 1


def _note_quoted_name(place: _Place, char: str) -> None:
    end = place.text.find(char, place.at + 1)
    if end >= 0 and len(place.text[place.at + 1 : end].split()) <= _QUOTED_NAME_WORDS:
        place.name_until = max(place.name_until, end)


def _dashes(place: _Place, limit: int) -> None:
    leading = place.at_word_start or place.placed[-1].token.dash
    if leading:
        token = Token(place.phrases.symbols["-"], Gap.ALWAYS_APART, Gap.ALWAYS_CLINGS, dash=True)
    else:
        token = Token(place.phrases.marks["hyphen"], Gap.ALWAYS_CLINGS, Gap.ALWAYS_CLINGS)
    _put_run(place, token, "-", limit, _COUNTED_SYMBOLS)


@lru_cache(maxsize=8)
def _longest_first(symbols: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted((symbol for symbol in symbols if symbol != "-"), key=len, reverse=True)
    return re.compile("|".join(re.escape(symbol) for symbol in ordered))


def _symbol(place: _Place, limit: int) -> str | None:
    match = _longest_first(tuple(place.phrases.symbols)).match(place.text, place.at, limit)
    # "2>" is the error channel only where a word begins: "file2>x" is not.
    if match is None or (match[0][0] == "2" and not place.at_word_start):
        return None
    return match[0]


def _symbols(place: _Place, symbol: str, limit: int) -> None:
    _put_run(place, _symbol_token(symbol, place.phrases), symbol, limit, _COUNTED_SYMBOLS)


def _symbol_token(symbol: str, phrases: Phrases) -> Token:
    before, after = _gaps(symbol)
    return Token(phrases.symbols[symbol], before, after)


def _gaps(symbol: str) -> tuple[Gap, Gap]:
    if symbol in _OPERATORS:
        return Gap.ALWAYS_APART, Gap.ALWAYS_APART
    if symbol == ";":
        return Gap.CLINGS, Gap.ALWAYS_APART
    if symbol in _OPENERS or symbol == "$":
        return Gap.APART, Gap.ALWAYS_CLINGS
    if symbol in _CLOSERS:
        return Gap.ALWAYS_CLINGS, Gap.APART
    if symbol == "~":
        return Gap.APART, Gap.CLINGS
    return Gap.CLINGS, Gap.ALWAYS_CLINGS if symbol in _PREFIXES else Gap.CLINGS


def _digits(place: _Place, limit: int) -> None:
    digit = place.text[place.at]
    token = Token(place.phrases.digits[int(digit)], Gap.CLINGS, Gap.APART)
    _put_run(place, token, digit, limit, _COUNTED_DIGITS)


def _put_run(place: _Place, token: Token, unit: str, limit: int, counted_from: int) -> None:
    """Place ``token`` once for each ``unit`` that stands here in a row, or once with its count."""
    count = _run_length(place.text, place.at, unit, limit)
    if count >= counted_from:
        place.put(repeated(count, token, place.phrases))
        place.at += count * len(unit)
    else:
        place.put(token)
        place.at += len(unit)


def _run_length(text: str, at: int, unit: str, limit: int) -> int:
    count = 0
    while text.startswith(unit, at + count * len(unit), limit):
        count += 1
    return count


def gap_tokens(gap: str) -> Iterator[tuple[str, int]]:
    """Each kind of blank in ``gap`` with its run length, in order."""
    for match in re.finditer(r" +|\t+|\n+", gap):
        yield match[0][0], len(match[0])
