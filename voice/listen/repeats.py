"""Repeats: the recogniser's habit of saying the same thing over and over, told by structure and not by a list."""

import re
import zlib

_WORD = re.compile(r"[\w']+")


def words(text: str) -> list[str]:
    """Lower-case words without punctuation."""
    return _WORD.findall(text.lower())


def compression_ratio(text: str) -> float:
    """Bytes by compressed bytes; over 2.4 means the text repeats itself. Short texts stay under 1."""
    data = text.encode()
    return len(data) / len(zlib.compress(data)) if data else 0.0


def repeats(text: str) -> bool:
    """Whether ``text`` is a loop: one word four times over, or a phrase again and again with nothing else to say.

    "no no no" and "two two two" are things people say; "go go go go" and a whole command said twice are not.
    """
    spoken = words(text)
    return any(_runs(spoken, size) for size in range(1, len(spoken) // 2 + 1))


def _runs(spoken: list[str], size: int) -> bool:
    least = 4 if size == 1 else 3 if size < 4 else 2
    for start in range(len(spoken) - size * least + 1):
        unit = spoken[start : start + size]
        if all(spoken[start + k * size : start + (k + 1) * size] == unit for k in range(1, least)):
            return True
    return False


def without_repeat(text: str) -> str:
    """One copy of a sentence that the recogniser said several times over; ``text`` itself when it did not."""
    spoken = text.split()
    plain = [_plain(word) for word in spoken]
    for size in range(3, len(spoken) // 2 + 1):
        copies, rest = divmod(len(spoken), size)
        unit = plain[:size]
        same = all(plain[k * size : (k + 1) * size] == unit for k in range(1, copies))
        if copies >= 2 and same and plain[copies * size :] == unit[:rest]:
            return " ".join(spoken[:size])
    return text


def _plain(word: str) -> str:
    return "".join(_WORD.findall(word.lower()))
