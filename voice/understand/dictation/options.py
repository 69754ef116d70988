"""Options of commands as they are said: "dash dash dry run", "dash r f", "minus one" (pure)."""

from collections.abc import Sequence

from voice.understand.dictation.pieces import Piece
from voice.understand.dictation.vocabulary import Vocabulary

Rewrite = tuple[int, Piece] | None
"""How many pieces are replaced, and by what."""

_WORDLIKE = frozenset(("a", "i", "o"))  # letters that are words as well
_MOST_LETTERS = 6


def option(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """An option that begins at ``at``."""
    if pieces[at].sign != "dash" or at + 1 >= len(pieces) or not pieces[at + 1].close:
        return None
    if pieces[at + 1].sign == "dash":
        return _long(pieces, at, vocabulary)
    return _short(pieces, at, vocabulary) or _negative(pieces, at, vocabulary)


def _long(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    named, end = _name(pieces, at + 2, vocabulary)
    if not named:
        return None
    while end + 1 < len(pieces) and pieces[end].sign in ("dash", "hyphen") and pieces[end].close:
        further = pieces[end + 1]
        if len(further.word) < 2 or not further.close or further.word in vocabulary.plain:
            break
        named.append(further.word)
        end += 1 + 1
    text = "--" + "-".join(named)
    value, end = _value(pieces, end, vocabulary)
    return end - at, Piece(text + value, (), pieces[at].gap, made=True)


def _name(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> tuple[list[str], int]:
    """The words of a long option: as many as a known one has, else one."""
    longest = max(map(len, vocabulary.options), default=1)
    said: list[str] = []
    for piece in pieces[at : at + longest]:
        if not piece.word or not piece.close:
            break
        said.append(piece.word)
    for count in range(len(said), 1, -1):
        if tuple(said[:count]) in vocabulary.options:
            return said[:count], at + count
    return (said[:1], at + 1) if said and len(said[0]) > 1 else ([], at)


def _value(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> tuple[str, int]:
    if at + 1 >= len(pieces) or pieces[at].sign != "equals" or not pieces[at + 1].word:
        return "", at
    end = at + 1
    while end < len(pieces) and vocabulary.is_number(pieces[end].word) and pieces[end].close:
        end += 1
    figures, _ = vocabulary.figures([piece.word for piece in pieces[at + 1 : end]])
    return (f"={figures}", end) if figures else (f"={pieces[at + 1].text}", at + 2)


def _short(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    letters, end = "", at + 1
    while end < len(pieces) and len(letters) < _MOST_LETTERS and pieces[end].close:
        capital = pieces[end].sign == "capital" and end + 1 < len(pieces)
        letter = pieces[end + capital].word
        if len(letter) != 1 or not letter.isalpha() or (letter in _WORDLIKE and not _ends(pieces, end + capital + 1)):
            break
        letters += letter.upper() if capital else letter
        end += 1 + capital
    if not letters:
        return None
    figures, end = _number(pieces, end, vocabulary)
    return end - at, Piece(f"-{letters}{figures and ' '}{figures}", (), pieces[at].gap, made=True)


def _number(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> tuple[str, int]:
    """The figures of a number that stands behind a short option."""
    end = at
    while end < len(pieces) and pieces[end].close and vocabulary.is_number(pieces[end].word):
        end += 1
    if end < len(pieces) and pieces[end].sign:
        return "", at  # the beginning of something longer
    figures, _ = vocabulary.figures([piece.word for piece in pieces[at:end]])
    return (figures, end) if figures else ("", at)


def _ends(pieces: Sequence[Piece], end: int) -> bool:
    """Whether nothing follows that would make an "a" an article."""
    return end >= len(pieces) or bool(pieces[end].sign) or not pieces[end].close or len(pieces[end].word) == 1


def _negative(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    before = pieces[at - 1].word if at else ""
    end = at + 1
    while end < len(pieces) and pieces[end].close and vocabulary.is_number(pieces[end].word):
        end += 1
    figures, count = vocabulary.figures([piece.word for piece in pieces[at + 1 : end]])
    if not figures or count > 1 or (before and vocabulary.is_number(before)):
        return None
    return end - at, Piece(f"-{figures}", (), pieces[at].gap, made=True)
