"""Tokens of the spoken code: a phrase, the exact text behind it, and the gaps that it expects around it."""

from dataclasses import dataclass
from enum import IntEnum, auto


class Gap(IntEnum):
    """What usually stands at one side of a token; a higher one wins over its neighbour's."""

    APART = auto()  # a blank, unless the neighbour clings
    CLINGS = auto()  # nothing
    ALWAYS_APART = auto()
    ALWAYS_CLINGS = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One spoken unit. ``phrase`` is empty only for the end of the text."""

    phrase: str
    before: Gap
    after: Gap
    word: bool = False  # an ordinary word: two of them need no pause between
    letter: bool = False  # a single letter: letters in a row spell one word
    dash: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A token with the blanks that stand before it; ``spell_gap``: say a single blank although it is usual here."""

    gap: str
    token: Token
    quoted: bool = False
    spell_gap: bool = False


def usual_gap(left: Token, right: Token) -> str:
    """The gap that needs no word between two tokens: nothing or one blank."""
    if (left.letter and right.letter) or (left.dash and right.dash):
        return ""
    winner = max(left.after, right.before)
    return "" if winner in (Gap.CLINGS, Gap.ALWAYS_CLINGS) else " "
