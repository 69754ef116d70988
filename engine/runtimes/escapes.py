"""Cuts a terminal's output into text, controls and escape sequences, at whatever boundary the reads were cut.

State lives across feeds: what is unfinished is held back, at most ``_LIMIT`` characters of it; the rest of an overlong
sequence is swallowed, not shown as words, until its end or ``_GIVE_UP`` characters later.
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

_LIMIT = 4096
_GIVE_UP = 1024 * 1024
_CSI = re.compile("\x1b\\[([\x20-\x3f]{0,64})([\x40-\x7e])")
_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")
_C1 = {"\x90": "P", "\x98": "X", "\x9b": "[", "\x9c": "\\", "\x9d": "]", "\x9e": "^", "\x9f": "_"}
_STRINGS = "PX]^_"


@dataclass(frozen=True, slots=True)
class Csi:
    """``ESC [ private numbers intermediates final``; missing numbers are None."""

    private: str
    numbers: tuple[int | None, ...]
    intermediates: str
    final: str

    def number(self, index: int, default: int) -> int:
        """The number at ``index``, or ``default`` where it is missing or 0."""
        value = self.numbers[index] if index < len(self.numbers) else None
        return value or default


class Sink(Protocol):
    """What takes the pieces."""

    def text(self, run: str) -> None: ...

    def control(self, char: str) -> None: ...

    def escape(self, intermediates: str, final: str) -> None: ...

    def csi(self, sequence: Csi) -> None: ...

    def string(self, kind: str, body: str) -> None:
        """OSC (``]``), DCS (``P``), APC (``_``), PM (``^``) or SOS (``X``)."""
        ...


class Splitter:
    """Feeds a :class:`Sink`. Any split of the bytes gives the same calls, but for where runs of text are cut."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._state: Callable[[str, int], int] = self._ground
        self._held: list[str] = []
        self._length = 0
        self._kind = ""

    @property
    def idle(self) -> bool:
        """Whether nothing is held back."""
        return self._state == self._ground and not self._decoder.getstate()[0]

    def feed(self, data: bytes) -> None:
        """Take more output."""
        text = self._decoder.decode(data)
        at = 0
        while at < len(text):
            at = self._state(text, at)

    def _ground(self, text: str, at: int) -> int:
        match = _TEXT.match(text, at)
        if match is not None:
            self._sink.text(match[0])
            return match.end()
        whole = _CSI.match(text, at)
        if whole is not None:  # the common case, in one step
            if whole[2] != "m":
                self._sink.csi(_parse_csi(whole[1], whole[2]))
            return whole.end()
        self._single(text[at])
        return at + 1

    def _single(self, char: str) -> None:
        if char == "\x1b":
            self._begin(self._after_escape)
        elif char in _C1:
            self._introduce(_C1[char])
        elif char < "\x20":
            self._sink.control(char)

    def _begin(self, state: Callable[[str, int], int], kind: str = "") -> None:
        self._state, self._kind = state, kind
        self._held, self._length = [], 0

    def _introduce(self, char: str) -> None:
        if char == "[":
            self._begin(self._in_csi)
        elif char in _STRINGS:
            self._begin(self._in_string, char)
        else:
            self._state = self._ground

    def _interrupted(self, char: str) -> bool:
        """Controls inside a sequence: ESC starts anew, CAN and SUB cancel, the others act at once."""
        if char == "\x1b":
            self._begin(self._after_escape)
        elif char in "\x18\x1a":
            self._state = self._ground
        elif char < "\x20":
            self._sink.control(char)
        return char < "\x20"

    def _after_escape(self, text: str, at: int) -> int:
        char = text[at]
        if self._interrupted(char):
            return at + 1
        if not self._held and (char == "[" or char in _STRINGS):
            self._introduce(char)
        elif "\x20" <= char <= "\x2f":
            self._hold(char)
        else:
            self._state = self._ground
            if "\x30" <= char <= "\x7e" and self._length <= _LIMIT:
                self._sink.escape("".join(self._held), char)
        return at + 1

    def _in_csi(self, text: str, at: int) -> int:
        char = text[at]
        if self._interrupted(char):
            return at + 1
        if "\x20" <= char <= "\x3f":
            self._hold(char)
            return at + 1
        self._state = self._ground
        if "\x40" <= char <= "\x7e":
            if self._length <= _LIMIT and char != "m":  # colours are not kept
                self._sink.csi(_parse_csi("".join(self._held), char))
            return at + 1
        return at  # no part of a sequence: shown as what it is

    def _in_string(self, text: str, at: int) -> int:
        end = _STRING_END[self._kind == "]"].search(text, at)
        stop = end.start() if end else len(text)
        room = _GIVE_UP - self._length
        if stop - at > room:
            self._state = self._ground
            return at + room
        self._hold(text[at:stop])
        if end is None:
            return stop
        self._end_string(end[0])
        return end.end()

    def _end_string(self, char: str) -> None:
        kind, body, whole = self._kind, "".join(self._held), self._length <= _LIMIT
        self._state = self._ground
        if char == "\x1b":
            self._begin(self._after_escape)  # its backslash is the terminator; anything else starts a sequence
        if whole and char not in "\x18\x1a":
            self._sink.string(kind, body)

    def _hold(self, piece: str) -> None:
        self._length += len(piece)
        if self._length <= _LIMIT:
            self._held.append(piece)


_STRING_END = {True: re.compile("[\x07\x1b\x9c\x18\x1a]"), False: re.compile("[\x1b\x9c\x18\x1a]")}


@lru_cache(maxsize=2048)
def _parse_csi(body: str, final: str) -> Csi:
    private = "".join(char for char in body if char in "<=>?")
    intermediates = "".join(char for char in body if char < "\x30")
    digits = body.translate(_STRIP).replace(":", ";")
    numbers = tuple(_number(part) for part in digits.split(";")) if digits else ()
    return Csi(private, numbers, intermediates, final)


def _number(part: str) -> int | None:
    return min(int(part[-9:]), 99999) if part else None


_STRIP = {ord(char): None for char in "<=>? !\"#$%&'()*+,-./"}
