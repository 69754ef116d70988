"""Folding: case, punctuation, diacritics and spacing stop mattering, while the text as dictated stays at hand."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+(?:['’`´][^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its folded form, and where it stands in the text as dictated (character offsets)."""

    word: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case, no diacritics, no apostrophes; other characters stay."""
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"['’`´]", "", plain).casefold()


def tokens(text: str) -> tuple[Token, ...]:
    """The words of ``text`` in order, folded."""
    return tuple(Token(fold(m.group()), m.start(), m.end()) for m in _WORD.finditer(text))


def words(text: str) -> tuple[str, ...]:
    """The folded words alone."""
    return tuple(token.word for token in tokens(text))


def split_camel(name: str) -> str:
    """``PaymentService`` as ``Payment Service``."""
    return _CAMEL.sub(" ", name)


def verbatim(text: str, span: Sequence[Token]) -> str:
    """The dictated text under ``span``, with the full stop that a recogniser adds at the end of speech taken off."""
    start, end = span[0].start, span[-1].end
    rest = text[end:]
    tail = rest[: len(rest) - len(rest.lstrip("?!)]}\"'”»%+*;/"))]
    lead = len(text[:start]) - len(text[:start].rstrip("([{\"'“«-/~.$@#*<"))
    return (text[start - lead : end] + tail).strip().strip(",;:").removesuffix(".").strip()
