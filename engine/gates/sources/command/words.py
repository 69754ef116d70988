"""Words of a shell line as the shell would see them, as far as the line itself tells. Pure."""

import re
from dataclasses import dataclass, replace

_BRACES = re.compile(r"^(.*?)\{([^{}]*,[^{}]*)\}(.*)$", re.DOTALL)
_ANSI = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "e": "\x1b",
    "E": "\x1b",
    "a": "\a",
    "b": "\b",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
MAX_BRACES = 64


@dataclass(frozen=True, slots=True)
class Word:
    """One word. ``text`` shows unknown parts as they were written; ``bare`` is the text if those were empty."""

    text: str
    known: bool = True
    glob: bool = False
    quoted: bool = False  # any part was quoted: a leading ~ or { is only a character
    bare: str = ""

    @property
    def if_empty(self) -> str:
        """The text that remains when every unknown part expands to nothing."""
        return self.text if self.known else self.bare


def literal(text: str) -> Word:
    """A word whose text is fully known."""
    return Word(text, bare=text)


def join(parts: list[Word]) -> Word:
    """Parts of one word, glued."""
    if len(parts) == 1:
        return parts[0]
    return Word(
        "".join(part.text for part in parts),
        all(part.known for part in parts),
        any(part.glob for part in parts),
        any(part.quoted for part in parts),
        "".join(part.if_empty for part in parts),
    )


def braces(word: Word) -> list[Word]:
    """``a{b,c}`` as two words; bounded."""
    done: list[Word] = []
    todo = [word]
    while todo and len(done) + len(todo) < MAX_BRACES:
        one = todo.pop(0)
        match = None if one.quoted else _BRACES.match(one.text)
        if match is None:
            done.append(one)
            continue
        head, middle, tail = match.groups()
        todo += [replace(one, text=head + each + tail, bare=head + each + tail) for each in middle.split(",")]
    return done + todo


def unescape(text: str) -> str:
    """Backslashes of an unquoted word."""
    return re.sub(r"\\(\n?)(.?)", lambda m: m.group(2), text, flags=re.DOTALL) if "\\" in text else text


def unescape_double(text: str) -> str:
    """Backslashes inside double quotes."""
    return re.sub(r'\\([$`"\\\n])', lambda m: "" if m.group(1) == "\n" else m.group(1), text)


def ansi(text: str) -> str:
    """The inside of ``$'...'``."""

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        if code[0] in "uU" and len(code) > 1:
            value = int(code[1:], 16)
            return chr(value) if value <= 0x10FFFF else "\ufffd"
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        return _ANSI.get(code, code)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", one, text, flags=re.DOTALL)


def has_glob(text: str) -> bool:
    """Whether an unquoted text has a pattern character that is not escaped."""
    return re.search(r"(?<!\\)[*?\[]", text) is not None
