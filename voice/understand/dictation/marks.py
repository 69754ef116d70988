"""Brackets, quotes, lines, cases and counted things as they are said (pure)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from voice.understand.dictation.options import Rewrite
from voice.understand.dictation.pieces import Piece
from voice.understand.dictation.vocabulary import Vocabulary

_PAIRS = {
    "open_paren": ("close_paren", "(", ")"),
    "open_bracket": ("close_bracket", "[", "]"),
    "open_brace": ("close_brace", "{", "}"),
    "quote": ("unquote", '"', '"'),
    "backtick": ("backtick", "`", "`"),
}
_LINES = {"new_line": "\n", "new_paragraph": "\n\n"}
_ENDS = {"question_mark": "?", "exclamation_mark": "!"}
_MOST_CASED = 4  # words


def paired(pieces: Sequence[Piece]) -> list[Piece]:
    """Signs that open and close, where both were said; one alone is a word."""
    found, opened = list(pieces), list[int]()
    for index, piece in enumerate(pieces):
        opening = pieces[opened[-1]].sign if opened else ""
        if opened and piece.sign == _PAIRS[opening][0]:
            start = opened.pop()
            _, left, right = _PAIRS[opening]
            found[start] = replace(pieces[start], text=left, sign="", made=True, right=True, left=_calls(pieces, start))
            found[index] = replace(piece, text=right, sign="", made=True, left=True)
        elif piece.sign in _PAIRS:
            opened.append(index)
    return found


def _calls(pieces: Sequence[Piece], start: int) -> bool:
    """ "main, open paren, close paren" is a call: no blank before its bracket."""
    closing = _PAIRS[pieces[start].sign][0]
    empty = start + 1 < len(pieces) and pieces[start + 1].sign == closing
    return pieces[start].sign.startswith("open_") and empty


def line(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """A new line or paragraph, where it is no thing that is talked about ("add a new line at the end")."""
    mark = _LINES.get(pieces[at].sign)
    if mark is None or not 0 < at < len(pieces) - 1:
        return None
    before, after = pieces[at - 1], pieces[at + 1]
    talked_about = (before.word in vocabulary.plain and pieces[at].close) or (
        after.word in vocabulary.about and after.gap == " "
    )
    if talked_about:
        return None
    return 1, replace(pieces[at], text=mark, sign="", made=True, left=True, right=True)


def ending(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """A question or exclamation mark at the end."""
    mark = _ENDS.get(pieces[at].sign)
    if mark is None or at != len(pieces) - 1 or at == 0 or pieces[at - 1].word in vocabulary.plain:
        return None
    return 1, replace(pieces[at], text=mark, sign="", made=True, left=True)


def counted(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """The number behind "port", "line", "version" in figures; a single small one stays a word."""
    before = pieces[at - 1].word if at else ""
    if before not in vocabulary.counters:
        return None
    end = at
    while end < len(pieces) and pieces[end].close and vocabulary.is_number(pieces[end].word):
        end += 1
    run = [piece.word for piece in pieces[at:end]]
    figures, count = vocabulary.figures(run)
    if not figures or len(figures) < 2 or (len(run) == 1 and run[0].isdecimal()):
        return None
    if count > 1 and before not in vocabulary.joining and len(figures) > count:
        return None
    return end - at, Piece(figures, (), pieces[at].gap, made=True)


_Caser = Callable[[Sequence[str]], str]
_CASES: Mapping[str, _Caser] = {
    "camel": lambda words: words[0] + "".join(word.capitalize() for word in words[1:]),
    "pascal": lambda words: "".join(word.capitalize() for word in words),
    "snake": "_".join,
    "kebab": "-".join,
    "caps": lambda words: words[0].upper(),
}


def cased(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """ "to camel case user name": only behind a word that lets a name follow."""
    sign = pieces[at].sign
    if sign not in _CASES or not at or pieces[at - 1].word not in vocabulary.cues:
        return None
    words: list[str] = []
    for piece in pieces[at + 1 : at + 1 + (1 if sign == "caps" else _MOST_CASED)]:
        if not piece.word or piece.word in vocabulary.plain or not piece.close:
            break
        words.append(piece.word)
    if len(words) < (1 if sign == "caps" else 2):
        return None
    return 1 + len(words), Piece(_CASES[sign](words), (), pieces[at].gap, made=True)
