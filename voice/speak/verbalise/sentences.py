"""Cuts spoken text into chunks for a synthesiser that starts with the first while the rest is made."""

import re

_LONGEST = 220  # characters of one chunk; about fifteen seconds of speech
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_BREATHS = re.compile(r"(?<=[,;:])\s+")


def sentences(text: str) -> list[str]:
    """The chunks of ``text`` in order; each has something to say and at most 220 characters where a blank allows it."""
    chunks = [chunk for part in _ENDS.split(text) for chunk in _shortened(part.strip())]
    return [chunk for chunk in chunks if any(char.isalnum() for char in chunk)]


def _shortened(sentence: str) -> list[str]:
    if len(sentence) <= _LONGEST:
        return [sentence]
    return [chunk for part in _packed(_BREATHS.split(sentence)) for chunk in _at_blanks(part)]


def _packed(parts: list[str]) -> list[str]:
    """``parts`` joined again as long as the result stays short enough."""
    packed = [parts[0]]
    for part in parts[1:]:
        if len(packed[-1]) + 1 + len(part) <= _LONGEST:
            packed[-1] += f" {part}"
        else:
            packed.append(part)
    return packed


def _at_blanks(part: str) -> list[str]:
    return [part] if len(part) <= _LONGEST else _packed(part.split())
