"""Takes away what only eyes can use: escape sequences, overwritten lines, emoji, box drawing, invisible characters."""

import re
import unicodedata

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # operating system commands (titles, links)
    r"|\x1b[P^_X][^\x1b]*(?:\x1b\\)?"  # device control, privacy and application strings
    r"|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]"  # control sequences and two-byte escapes
)
_RULES = re.compile(r"[-=_*~#+.]{4,}|(?<!\S)[-=*~_]{3}(?!\S)")  # drawn lines made of punctuation
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "So", "Sk"})
_TYPOGRAPHY = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": ", ", "—": ", ", "…": ".", "\u00a0": " ", "•": "-"}
)


def without_escapes(text: str) -> str:
    """``text`` with terminal escape sequences gone; of a line that was overwritten the last writing stays."""
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in plain.split("\n"))


def readable(text: str) -> str:
    """``text`` without escapes, emoji, box drawing and drawn rules, typographic signs made plain."""
    plain = without_escapes(text).translate(_TYPOGRAPHY)
    kept = "".join(char for char in plain if char in "\n\t" or unicodedata.category(char) not in _DROPPED_CATEGORIES)
    return _RULES.sub(" ", kept)
