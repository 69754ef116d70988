"""Dictated text in pieces: words, and phrases that may stand for a sign; and pieces back to text (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from voice.understand.dictation.vocabulary import Vocabulary
from voice.understand.fold import Token, tokens

_CLOSE = frozenset(("", ",", "-"))  # what a recogniser puts between words that belong together


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or a spoken sign; ``made``: it was written by a rule; ``left``, ``right``: no blank there."""

    text: str
    words: tuple[str, ...]
    gap: str = ""  # of the text before it
    sign: str = ""
    made: bool = False
    left: bool = False
    right: bool = False

    @property
    def word(self) -> str:
        """The folded word; nothing for a sign or what a rule has written."""
        return "" if self.sign or self.made else self.words[0]

    @property
    def close(self) -> bool:
        """Whether it may belong to what stands before it."""
        return self.gap.strip() in _CLOSE


def cut(text: str, vocabulary: Vocabulary) -> tuple[list[Piece], str]:
    """The pieces of ``text``, longest signs first, and what stands behind the last of them."""
    spoken = tokens(text)
    pieces: list[Piece] = []
    at = end = 0
    while at < len(spoken):
        count, sign = _sign(text, spoken, at, vocabulary)
        if not sign and pieces and pieces[-1].sign == "dot":
            count = _spelled(text, spoken, at, vocabulary)
        first, last = spoken[at], spoken[at + count - 1]
        said = text[first.start : last.end]
        if count > 1 and not sign:
            said = "".join(token.word for token in spoken[at : at + count])
        named = (
            tuple(token.word for token in spoken[at : at + count]) if sign else ("".join(_words(spoken, at, count)),)
        )
        pieces.append(Piece(said, named, text[end : first.start], sign))
        at, end = at + count, last.end
    return pieces, text[end:]


def _words(spoken: Sequence[Token], at: int, count: int) -> list[str]:
    return [token.word for token in spoken[at : at + count]]


def _sign(text: str, spoken: Sequence[Token], at: int, vocabulary: Vocabulary) -> tuple[int, str]:
    for count in range(min(vocabulary.longest_sign, len(spoken) - at), 0, -1):
        phrase = tuple(_words(spoken, at, count))
        if phrase in vocabulary.signs and _together(text, spoken, at, count):
            return count, vocabulary.signs[phrase]
    return 1, ""


def _spelled(text: str, spoken: Sequence[Token], at: int, vocabulary: Vocabulary) -> int:
    """How many letters spell an extension ("p y"), else 1."""
    for count in (4, 3, 2):
        letters = _words(spoken, at, count)
        known = all(len(letter) == 1 for letter in letters) and "".join(letters) in vocabulary.extensions
        if known and len(letters) == count and _together(text, spoken, at, count):
            return count
    return 1


def _together(text: str, spoken: Sequence[Token], at: int, count: int) -> bool:
    inside = spoken[at : at + count]
    return all(text[a.end : b.start].strip() in _CLOSE for a, b in pairwise(inside))


def joined(pieces: Sequence[Piece], tail: str) -> str:
    """The text; between pieces that no rule has touched it is what it was."""
    text = ""
    for index, piece in enumerate(pieces):
        before = pieces[index - 1] if index else None
        text += piece.gap if before is None and not piece.left else _between(before, piece)
        text += piece.text
    return text + tail


def _between(before: Piece | None, piece: Piece) -> str:
    if before is None:
        return ""
    if not before.made and not piece.made:
        return piece.gap
    if before.right or piece.left:
        stop = piece.gap.strip()
        return stop if piece.text.startswith("\n") and stop in (".", "!", "?", ":", ";") else ""
    return piece.gap if piece.gap.strip("-") and piece.gap != piece.gap.strip() else " "
