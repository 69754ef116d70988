"""Stretches that are named instead of read: secrets, and hexadecimal runs too long for an ear."""

import re
from dataclasses import dataclass

from engine.domain.secrets import find
from voice.speak.verbalise.characters import spelled_hex
from voice.speak.verbalise.checkword import check_words
from voice.speak.verbalise.phrases import Phrases

_LONG_HASH = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{20,}(?![0-9A-Za-z])")
_ENDS = 4  # characters of a long hash that are said at each end


@dataclass(frozen=True, slots=True)
class Hidden:
    """A stretch of the text and the words said in its place."""

    start: int
    end: int
    phrase: str
    secret: bool


def hidden_stretches(text: str, phrases: Phrases) -> tuple[Hidden, ...]:
    """Secrets and long hashes of ``text`` in order, none overlapping another; a secret wins over a hash."""
    found = [_secret(text, secret.start, secret.end, secret.kind, phrases) for secret in find(text)]
    for match in _LONG_HASH.finditer(text):
        if not any(match.start() < other.end and other.start < match.end() for other in found):
            found.append(_hash(match, phrases))
    return tuple(sorted(found, key=lambda stretch: stretch.start))


def _secret(text: str, start: int, end: int, kind: str, phrases: Phrases) -> Hidden:
    name = phrases.secret_kinds.get(kind, phrases.secret_kinds["other"])
    words = check_words(text[start:end], phrases.check_words)
    return Hidden(start, end, f"{phrases.marks['redacted']} {name} {phrases.closers['check']} {words}", secret=True)


def _hash(match: re.Match[str], phrases: Phrases) -> Hidden:
    text, closers = match[0], phrases.closers
    first, last = (spelled_hex(part, phrases) for part in (text[:_ENDS], text[-_ENDS:]))
    words = check_words(text, phrases.check_words)
    phrase = f"{phrases.marks['long_hash']} {first} {closers['up_to']} {last} {closers['check']} {words}"
    return Hidden(match.start(), match.end(), phrase, secret=False)
