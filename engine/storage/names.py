"""Names and paths from outside: one function sanitises, one compares, one contains."""

import hashlib
import re
import unicodedata
from pathlib import Path

from engine.domain.errors import BadRequest

MAX_BYTES = 100  # of a folder name in UTF-8; file systems stop at 255, and suffixes are added
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_AWKWARD = re.compile(r'[:*?"<>|]')  # no file system of another platform takes them
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?")
_INVISIBLE = ("Cf", "Cn", "Co")

# Letters that the eye takes for Latin ones, after case folding. Enough to warn; nothing is refused on it.
_LATIN = str.maketrans(
    {
        **dict(zip("абвгдезіјкмнопрстухусԁһӏԛԝ", "a6brgezijkmhonpctyxycdhlqw", strict=True)),
        **dict(zip("αβγδεηικμνορτυχω", "aByseniKmvoptuxw".lower(), strict=True)),
        **dict(zip("0135|ıſ", "oiesils", strict=True)),
        "l": "i",
    }
)


def validate_id(text: str) -> str:
    """Return ``text`` if it can be one path component of ours, else raise :class:`BadRequest`."""
    if _ID.fullmatch(text) is None or text.endswith("."):
        raise BadRequest(f"{_shown(text)} is not an id; ids are letters, digits, dots, hyphens and underscores.")
    return text


def folder_name(name: str) -> str:
    """The folder that stands for a name: usually the name itself. Raises BadRequest for what can't be a name."""
    text = _visible(unicodedata.normalize("NFC", name))
    for bad, why in (("/", "a slash"), ("\\", "a backslash"), ("\0", "a zero byte")):
        if bad in text:
            raise BadRequest(f"The name {_shown(name)} holds {why}; choose a name without it.")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise BadRequest(f"The name {_shown(name)} holds control characters; choose a name without them.")
    text = _AWKWARD.sub("-", text).strip().rstrip(". ")
    if not text.strip("."):
        raise BadRequest(f"The name {_shown(name)} is empty or only dots; choose a name with letters or digits.")
    if _RESERVED.fullmatch(text) or text[0] in ".-~":
        text = f"_{text}"
    return _shortened(text)


def same_name(one: str, other: str) -> bool:
    """Whether two names would be one to a person or to any file system: normal form and case are ignored."""
    return name_key(one) == name_key(other)


def name_key(name: str) -> str:
    """What two equal names share."""
    folded = unicodedata.normalize("NFKC", folder_name(name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def looks_like(one: str, other: str) -> bool:
    """Whether two different names can't be told apart by eye (Cyrillic а for a, 0 for O, l for I)."""
    return not same_name(one, other) and _skeleton(one) == _skeleton(other)


def contained(base: Path, untrusted: str | Path) -> Path:
    """The resolved path of ``untrusted`` below ``base``, symlinks followed; BadRequest when it leads outside."""
    text = str(untrusted)
    if "\0" in text:
        raise BadRequest(f"The path {_shown(text)} holds a zero byte.")
    inside = base.resolve()
    try:
        resolved = (inside / text).resolve()
    except (OSError, RuntimeError) as fault:  # a loop of symlinks, or a name too long
        raise BadRequest(f"The path {_shown(text)} can't be followed: {fault}.") from fault
    if resolved == inside or not resolved.is_relative_to(inside):
        raise BadRequest(f"The path {_shown(text)} leads outside of {inside}.")
    return resolved


def _visible(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) not in _INVISIBLE)


def _shortened(text: str) -> str:
    data = text.encode()
    if len(data) <= MAX_BYTES:
        return text
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{data[: MAX_BYTES - 9].decode(errors='ignore').rstrip('. ')}-{digest}"


def _skeleton(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name_key(name))
    plain = "".join(c for c in letters if not unicodedata.combining(c)).translate(_LATIN)
    return plain.replace("rn", "m").replace("vv", "w")


def _shown(text: object) -> str:
    shown = ascii(text) if isinstance(text, str) and not text.isprintable() else repr(text)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
