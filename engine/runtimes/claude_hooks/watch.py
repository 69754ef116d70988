"""What Claude Code says of itself in ``sessions/<pid>.json``; right also where no hook fires (Esc, a refusal)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Word = Literal["idle", "busy", "waiting"]


@dataclass(frozen=True, slots=True)
class Seen:
    """The file's word, and the conversation that the CLI is in."""

    word: Word
    session_id: str


class SessionFile:
    """Reads the file of one process; reads it again only when it has changed."""

    def __init__(self, config: Path, pid: int) -> None:
        self._path = config / "sessions" / f"{pid}.json"
        self._stamp: tuple[int, int] | None = None
        self._seen: Seen | None = None

    def read(self) -> Seen | None:
        """The present word; None while there is no file that can be understood."""
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                self._seen = _understand(self._path.read_text("utf-8")) or self._seen
                self._stamp = stamp
        except OSError:
            return None
        return self._seen


def _understand(text: str) -> Seen | None:
    """None for half a file: it is written in place, and will be read again."""
    try:
        raw = json.loads(text)
        word = raw["status"]
    except (ValueError, KeyError, TypeError):
        return None
    return Seen(word, str(raw.get("sessionId", ""))) if word in ("idle", "busy", "waiting") else None
