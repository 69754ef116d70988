"""Dictated text as it is written: spoken signs and figures, where they can't be plain words (pure)."""

from voice.understand.dictation.marks import cased, counted, ending, line, paired
from voice.understand.dictation.names import name
from voice.understand.dictation.options import option
from voice.understand.dictation.pieces import Piece, cut, joined
from voice.understand.dictation.vocabulary import Vocabulary, vocabulary

__all__ = ["Vocabulary", "vocabulary", "written"]

_RULES = (option, cased, name, counted, line, ending)


def written(text: str, words: Vocabulary, *, lines: bool = True) -> str:
    """``text`` with its spoken signs written; ``lines`` False keeps it on one line (for the answer to a question)."""
    if not words.signs:
        return text
    pieces, tail = cut(text, words)
    spoken = paired(pieces)
    found: list[Piece] = []
    at = 0
    while at < len(spoken):
        rewrite = None
        for rule in _RULES:
            if rule is line and not lines:
                continue
            if (rewrite := rule(spoken, at, words)) is not None:
                break
        count, piece = rewrite or (1, spoken[at])
        found.append(piece)
        at += count
    return joined(found, tail)
