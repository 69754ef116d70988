"""Signs that what a person sees or hears is not what would run. Pure."""

import re
import unicodedata

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]{24,}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\x85]")


def why(text: str) -> str | None:
    """The reason to have this read on a screen, or None. Keys of the phrases file."""
    if _CONTROL.search(text) or _INVISIBLE.search(text) or _SPACES.search(text):
        return "hidden"
    if _BLANKS.search(text.replace("\n", "")) and not text.isspace():
        return "blanks"
    return "lookalike" if _mixed(text) else None


def _mixed(text: str) -> bool:
    """A word that mixes Latin with letters that look like it."""
    if text.isascii():
        return False
    for word in re.findall(r"[^\W\d_]+", text):
        scripts = {unicodedata.name(letter, "?").split(" ")[0] for letter in word}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH"}:
            return True
        if scripts & {"FULLWIDTH", "MATHEMATICAL"}:
            return True
    return False


def visible(text: str) -> str:
    """``text`` with every hidden character shown as an escape."""

    def show(match: re.Match[str]) -> str:
        code = ord(match.group())
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _SPACES.sub(show, _INVISIBLE.sub(show, _CONTROL.sub(show, text)))
