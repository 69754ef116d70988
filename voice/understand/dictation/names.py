"""Paths, file names, addresses and identifiers as they are said: "source slash main dot py" (pure)."""

import re
from collections.abc import Sequence

from voice.understand.dictation.options import Rewrite
from voice.understand.dictation.pieces import Piece
from voice.understand.dictation.vocabulary import Vocabulary

_CODES = {
    "dot": ".",
    "point": ",",
    "slash": "/",
    "backslash": "\\",
    "underscore": "_",
    "hyphen": "h",
    "colon": ":",
    "at": "@",
    "star": "*",
    "tilde": "~",
}
_WRITTEN = {"h": "-", ",": "."}
_JOINT = r"(?:\.|/|\\|_(?!_)|__(?!w__)|h|:/{0,2}|@|,)"
_ELEMENT = r"(?:__w__|w|n+|\*)"
_CHAIN = re.compile(
    rf"(?P<lead>(?:\.\.?/)+|~/|/|\.|(?!__w__)_{{1,2}})?{_ELEMENT}(?:{_JOINT}{_ELEMENT})*(?P<trail>_{{1,2}}|/)?"
)
_PARTS = re.compile(rf"({_ELEMENT})|({_JOINT})")
_SURE_LEADS = ("./", "../", "~/")
_LONGEST = 40  # pieces


def name(pieces: Sequence[Piece], at: int, vocabulary: Vocabulary) -> Rewrite:
    """A path or name that begins at ``at`` and can't be plain words; the longest there is."""
    if _either(pieces[at : at + 3], vocabulary):
        return 3, Piece("/".join(piece.text for piece in pieces[at : at + 3 : 2]), (), pieces[at].gap, made=True)
    codes = _coded(pieces[at : at + _LONGEST], vocabulary)
    found = _CHAIN.match(codes)
    if found is None or _begins_later(pieces[at:], found.group(), vocabulary):
        return None
    for end in range(found.end(), 1, -1):
        shorter = _CHAIN.fullmatch(codes, 0, end)
        if shorter is None or (end < len(codes) and codes[end - 1 : end + 1] == "nn"):
            continue
        chain = pieces[at : at + end]
        if _sure(chain, codes[:end], shorter["lead"] or "", shorter["trail"] or "", vocabulary):
            return end, Piece(_written(chain, codes[:end], vocabulary), (), chain[0].gap, made=True)
    return None


def _either(pieces: Sequence[Piece], vocabulary: Vocabulary) -> bool:
    """ "and slash or"."""
    together = len(pieces) == 3 and pieces[1].sign == "slash" and pieces[1].close and pieces[2].close
    return together and (pieces[0].word, pieces[2].word) in vocabulary.either


def _coded(pieces: Sequence[Piece], vocabulary: Vocabulary) -> str:
    """One letter a piece, up to where a sentence ends: w word, n number, p small word, else the sign."""
    codes = ""
    for index, piece in enumerate(pieces):
        if index and not piece.close:
            break
        codes += _code(piece, vocabulary)
    return codes


def _code(piece: Piece, vocabulary: Vocabulary) -> str:
    if piece.made or piece.sign:
        return _CODES.get(piece.sign, "x") if not piece.made else "x"
    if vocabulary.is_number(piece.word):
        return "n"
    return "p" if piece.word in vocabulary.plain else "w"


def _begins_later(pieces: Sequence[Piece], chain: str, vocabulary: Vocabulary) -> bool:
    """ "open slash etc" and "edit dot env" begin at their sign, not at the word before it."""
    if len(chain) < 3 or chain[0] != "w":
        return False
    after = pieces[2].word
    return (chain[1] == "/" and after in vocabulary.roots) or (chain[1] == "." and after in vocabulary.dotfiles)


def _sure(pieces: Sequence[Piece], codes: str, lead: str, trail: str, vocabulary: Vocabulary) -> bool:
    joints = [(m.group(), m.start(), m.end()) for m in _PARTS.finditer(codes, len(lead)) if m.group(2)]
    joints = [joint for joint in joints if joint[2] < len(codes)]
    if not lead and not joints:
        return "__w__" in codes
    inner = codes[len(lead) :]
    signs = sum(len(joint) for joint, _, _ in joints) + len(lead)
    sound = [_joint_is_sure(joint, pieces[start - 1], pieces[end], vocabulary) for joint, start, end in joints]
    if not _lead_is_sure(lead, pieces, inner, trail, vocabulary):
        return False
    if all(sound) and (lead or sound):
        return True
    evident = any(sound) or bool(lead) or all(joint in ("/", "_", "h") for joint, _, _ in joints)
    return signs > 1 and evident and "," not in inner


def _lead_is_sure(lead: str, pieces: Sequence[Piece], inner: str, trail: str, vocabulary: Vocabulary) -> bool:
    if not lead or lead.endswith(_SURE_LEADS):
        return True
    first = pieces[len(lead)].word
    if lead == "/":
        return first in vocabulary.roots or "/" in inner
    if lead == ".":
        return first in vocabulary.dotfiles
    return bool(trail)  # underscores on both sides


def _joint_is_sure(joint: str, left: Piece, right: Piece, vocabulary: Vocabulary) -> bool:
    numbers = vocabulary.is_number(left.word) and vocabulary.is_number(right.word)
    match joint:
        case ".":
            return numbers or right.word in vocabulary.extensions | vocabulary.dotfiles
        case ",":
            return numbers
        case "/":
            known = vocabulary.folders | vocabulary.roots
            return left.word in known or right.word in known
        case ":":
            return bool(left.word) and vocabulary.is_number(right.word)
        case "\\":
            return False
        case _:
            return bool(left.word and right.word) and not numbers


def _written(pieces: Sequence[Piece], codes: str, vocabulary: Vocabulary) -> str:
    text = ""
    for run in re.finditer(r"n+|.", codes):
        code, chain = run.group(), pieces[run.start() : run.end()]
        if code[0] == "n":
            text += vocabulary.figures([piece.word for piece in chain])[0] or chain[0].text
        elif code == "w":
            text += chain[0].word if chain[0].word in vocabulary.extensions else _as_said(chain[0], first=not text)
        else:
            text += _WRITTEN.get(code, code)
    return text


def _as_said(piece: Piece, *, first: bool) -> str:
    """A recogniser writes the first word of a sentence with a capital; names inside keep theirs."""
    plain = first and piece.text.istitle()
    return piece.text.lower() if plain else piece.text
