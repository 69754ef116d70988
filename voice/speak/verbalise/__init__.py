"""Exact text into words for the ear; two commands that differ are never spoken alike (docs/verbalise.md)."""

import re
from dataclasses import dataclass
from typing import Literal, assert_never

from voice.speak.verbalise.characters import is_hidden
from voice.speak.verbalise.command import speak_exact
from voice.speak.verbalise.dictated import speak_dictated
from voice.speak.verbalise.diff import speak_diff
from voice.speak.verbalise.hide import hidden_stretches
from voice.speak.verbalise.output import speak_output
from voice.speak.verbalise.phrases import Phrases, UnknownLanguage, load
from voice.speak.verbalise.prose import has_sound, speak_prose
from voice.speak.verbalise.sentences import sentences
from voice.speak.verbalise.structure import speak_json

__all__ = ["Kind", "Spoken", "UnknownLanguage", "sentences", "verbalise"]

Kind = Literal["command", "path", "prose", "diff", "output", "json", "markdown", "dictated"]

_LONG_WORDS = 60  # about 25 seconds of speech
_SHORT = 160  # characters of a short version that is simply the beginning
_EXACT = frozenset({"command", "path", "diff"})
_LONG_BLANKS = re.compile(r"[ \t]{16,}|\n{8,}")  # padding that pushes the rest of a command out of sight


@dataclass(frozen=True, slots=True)
class Spoken:
    """What to say for one text; ``short`` equals ``text`` unless ``long``."""

    text: str
    long: bool
    hidden: bool  # something in it cannot be seen: a screen has to be looked at, speech may not approve it
    secrets: int  # how many secrets are named instead of read
    short: str = ""


def verbalise(text: str, *, kind: Kind, language: str = "en") -> Spoken:
    """The spoken form of ``text``; raises :class:`UnknownLanguage`."""
    phrases = load(language)
    match kind:
        case "command" | "path":
            return _exact(text, kind, phrases)
        case "prose" | "markdown":
            whole, secrets = speak_prose(text, phrases)
            return _finished(text, whole, _first_part(whole), secrets, phrases, kind)
        case "dictated":
            whole, secrets = speak_dictated(text, phrases)
            return _finished(text, whole, _first_part(whole), secrets, phrases, kind)
        case "output":
            return _finished(text, *speak_output(text, phrases), phrases, kind)
        case "diff":
            return _finished(text, *speak_diff(text, phrases), phrases, kind)
        case "json":
            return _finished(text, *speak_json(text, phrases), phrases, kind)
        case _:
            assert_never(kind)


def _exact(text: str, kind: Kind, phrases: Phrases) -> Spoken:
    stretches = hidden_stretches(text, phrases)
    words = speak_exact(text, stretches, phrases, spell_gaps=kind == "path")
    if hides_something(text):
        words = f"{phrases.sentences['hidden']} {words}"
    return _finished(text, words, _first_part(words), sum(stretch.secret for stretch in stretches), phrases, kind)


def _finished(text: str, whole: str, short: str, secrets: int, phrases: Phrases, kind: Kind) -> Spoken:
    if not has_sound(whole):
        whole = short = phrases.sentences["nothing"]
    enough = kind == "output" or len(whole.split()) > _LONG_WORDS  # output itself says whether it is long
    long = enough and has_sound(short)
    hidden = kind in _EXACT and hides_something(text)
    return Spoken(whole, long, hidden, secrets, short if long else whole)


def _first_part(whole: str) -> str:
    first = ""
    for chunk in sentences(whole):
        if first and len(first) + len(chunk) > _SHORT:
            break
        first = f"{first} {chunk}".strip()
    return first


def hides_something(text: str) -> bool:
    """Whether ``text`` holds characters that cannot be seen, or padding that pushes some of it out of sight."""
    return any(is_hidden(char) for char in text) or _LONG_BLANKS.search(text) is not None
