"""Names for characters outside plain text: look-alike letters, control bytes, what cannot be seen."""

import unicodedata

from voice.speak.verbalise.phrases import Phrases

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
# Drawn as nothing or as a blank, whatever their category says.
_UNSEEN = frozenset("\u00a0\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_PLAIN_BLANKS = frozenset(" \t\n")


def is_hidden(char: str) -> bool:
    """Whether a person who looks at ``char`` sees nothing, or something else than what is there."""
    if char in _PLAIN_BLANKS:
        return False
    category = unicodedata.category(char)
    return char in _UNSEEN or category in _UNSEEN_CATEGORIES or (category == "Zs")


def named(char: str, phrases: Phrases) -> str:
    """``char`` between its opening and closing mark; distinct characters have distinct names."""
    mark = phrases.marks["hidden" if is_hidden(char) else "character"]
    return f"{mark} {_name(char, phrases)} {phrases.closers['end_character']}"


def _name(char: str, phrases: Phrases) -> str:
    control = phrases.controls.get(ord(char))
    if control:
        return control
    name = unicodedata.name(char, "").lower()
    # A name with a hyphen or a digit is not unique to an ear that drops punctuation; its number is.
    if name and all(letter.isalpha() or letter == " " for letter in name):
        return name
    return f"{phrases.closers['code']} {spelled_hex(f'{ord(char):x}', phrases)}"


def spelled_hex(hexadecimal: str, phrases: Phrases) -> str:
    """Hexadecimal signs one by one, digits as words."""
    return " ".join(phrases.digits[int(sign)] if sign.isdigit() else sign for sign in hexadecimal)
