"""Text of an utterance as tokens: folded, with apostrophes gone. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_APOSTROPHES = str.maketrans("", "", "'’‘`´ʼ")
_TOKEN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Compatibility form, lower case, without apostrophes ("Don't" becomes "dont")."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)


def tokens(text: str) -> tuple[str, ...]:
    """Letters and digits in runs; everything else separates."""
    return tuple(_TOKEN.findall(fold(text)))


def has_phrase(words: Sequence[str], phrases: Iterable[tuple[str, ...]]) -> bool:
    """Whether one of the phrases stands in ``words`` as whole tokens in a row."""
    padded = f" {' '.join(words)} "
    return any(f" {' '.join(phrase)} " in padded for phrase in phrases)
