"""Newline-delimited JSON out of a stream of bytes that may be cut anywhere (pure)."""

import json
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
LONGEST = 64 * 1024 * 1024  # bytes of one line; a longer one is dropped, up to its end


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``end`` is the offset after it; ``message`` is None for what is no JSON object."""

    end: int
    message: Json | None
    text: str


class Splitter:
    """Bytes in, whole lines out."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._dropping = False

    def feed(self, offset: int, data: bytes) -> list[Line]:
        """The lines that end within ``data``, which starts at ``offset`` of the stream."""
        *ended, rest = data.split(b"\n")
        lines = []
        for piece in ended:
            offset += len(piece) + 1
            line = self._line(offset, piece)
            lines += [line] if line is not None else []
        self._rest += rest
        if len(self._rest) > LONGEST:
            self._rest.clear()
            self._dropping = True
        return lines

    def lost(self) -> None:
        """Bytes are missing here: what was begun cannot be completed, and what follows starts within a line."""
        self._rest.clear()
        self._dropping = True

    def _line(self, end: int, piece: bytes) -> Line | None:
        raw = bytes(self._rest) + piece
        self._rest.clear()
        if self._dropping:
            self._dropping = False
            return None
        text = raw.decode("utf-8", "replace").strip()
        return Line(end, _object(text), text) if text else None


def _object(text: str) -> Json | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def encode(message: Json) -> bytes:
    """One message as its line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
