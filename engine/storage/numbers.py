"""Session numbers: handed out in start order, durable, never twice; and the way from a number to its session."""

import json
import logging
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from engine.domain.ids import new_run_id
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import locked, write_text
from engine.storage.layout import Layout

log = logging.getLogger(__name__)

_WIDTH = 50  # bytes of an index line: 12 digits, a space, a UUID, a newline
_LINE = re.compile(rb" *(\d+) ([0-9a-f-]{36})\n")


class Numbers:
    """``session-number`` is the truth about what was handed out; ``session-index`` only makes finding cheap."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def allocate(self) -> tuple[int, str]:
        """The next number and an id that sorts after the last one, both on disk. A crash after it wastes the number."""
        path = self._layout.session_number
        with locked(path):
            last = self._last()
            number, run_id = last + 1, self._id_after(last)
            write_text(path, f"{number}\n")
            self._note(number, run_id)
        return number, run_id

    def restore(self) -> str | None:
        """At start: write ``session-number`` again when it is lost; the sentence that says so."""
        path = self._layout.session_number
        with locked(path):
            highest = self._last()
            with guarded(path, "read"):
                if not highest or (path.exists() and path.read_bytes().strip().isdigit()):
                    return None
            write_text(path, f"{highest}\n")
        return f"{path} was lost or could not be read; numbers go on after {highest}, the highest in use."

    def find(self, number: int) -> str | None:
        """The id that ``number`` was handed out with, from one read of the index."""
        if number <= 0:
            return None
        self._ensure_index()
        path = self._layout.session_index
        with guarded(path, "read"), path.open("rb") as stream:
            start = (number - 1) * _WIDTH
            if start >= stream.seek(0, os.SEEK_END):
                return None
            stream.seek(start)
            return _parse(stream.read(_WIDTH), number)

    def newest(self) -> Iterator[str]:
        """Ids from the newest on; reads as much of the index as is asked for."""
        for number in range(self._last(), 0, -1):
            if (run_id := self.find(number)) is not None:
                yield run_id

    def _id_after(self, last: int) -> str:
        """Two sessions within a millisecond, or a clock set back, must not sort the wrong way round."""
        before = self.find(last) or ""
        for _ in range(50):
            if (run_id := new_run_id()) > before:
                return run_id
            time.sleep(0.001)
        log.warning("the clock is behind the last session's start; the new session's id sorts before it")
        return new_run_id()

    def _last(self) -> int:
        path = self._layout.session_number
        with guarded(path, "read"):
            text = path.read_text("ascii", errors="replace").strip(" \n\0") if path.exists() else ""
        if text.isdigit():
            return int(text)
        found = self._highest()
        if found or text:
            log.warning("%s could not be read; numbers go on after %d, the highest in use", path, found)
        return found

    def _highest(self) -> int:
        """The highest number that any session, tombstone or index line carries. Only when the file is lost."""
        index = self._layout.session_index
        lines = index.stat().st_size // _WIDTH if index.exists() else 0
        return max([lines, *(number for number, _ in self._carried())], default=0)

    def _carried(self) -> Iterator[tuple[int, str]]:
        folders = [(path, path.parent.name) for path in self._layout.runs.glob("*/run.json")]
        tombstones = [(path, path.stem) for path in self._layout.tombstones.glob("*.json")]
        for path, run_id in [*folders, *tombstones]:
            try:
                number = json.loads(path.read_bytes()).get("number")
            except (OSError, ValueError, AttributeError) as fault:
                log.warning("%s can't be read while looking for session numbers: %s", path, fault)
                continue
            if isinstance(number, int) and number > 0 and len(run_id) == 36:
                yield number, run_id

    def _ensure_index(self) -> None:
        """A root of another version, or a lost index: made once, from every session."""
        path = self._layout.session_index
        if path.exists():
            return
        with locked(self._layout.session_number):
            if path.exists():
                return
            entries = dict(self._carried())
            numbers = range(1, max(entries, default=0) + 1)
            data = b"".join(_line(n, entries[n]) if n in entries else _blank() for n in numbers)
            with guarded(path, "write"):
                disk.replace(path, data, 0o644, keep_copy=False)

    def _note(self, number: int, run_id: str) -> None:
        path = self._layout.session_index
        with guarded(path, "write"):
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                size = os.fstat(fd).st_size
                missing = max(0, (number - 1) - size // _WIDTH)
                start = min((number - 1), size // _WIDTH) * _WIDTH
                os.lseek(fd, start, os.SEEK_SET)
                disk.write_all(fd, _blank() * missing + _line(number, run_id))
                disk.sync(fd)
            finally:
                os.close(fd)


def _line(number: int, run_id: str) -> bytes:
    return f"{number:>12} {run_id}\n".encode()


def _blank() -> bytes:
    return b" " * (_WIDTH - 1) + b"\n"


def _parse(raw: bytes, number: int) -> str | None:
    match = _LINE.fullmatch(raw)
    return match[2].decode() if match and int(match[1]) == number else None


def is_folder_of_run(path: Path) -> bool:
    """Whether an entry of ``runs/`` is a session and not a lock, or one half made or half deleted."""
    return not path.name.startswith(".") and path.is_dir()
