"""Output on disk: segments named by the offset of their first byte, bounded, readable by anyone. Stdlib only."""

import contextlib
import os
from pathlib import Path

SEGMENT = 8 * 1024 * 1024  # bytes
KEEP = 64 * 1024 * 1024  # bytes
_TAIL = 1024 * 1024  # bytes kept in memory for those who follow closely, and for a full disk
_SUFFIX = ".out"


class Recording:
    """Appends output and forgets what is older than ``keep``. A full disk loses bytes, never blocks, never raises."""

    def __init__(self, folder: Path, keep: int = KEEP, segment: int = SEGMENT) -> None:
        self._folder = folder
        self._keep = keep
        self._segment = segment
        self._fd = -1
        self._room = 0
        self._tail = bytearray()
        self.end = 0
        self.fault: str | None = None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in _segments(folder):  # of an earlier life in the same control folder
            old.unlink()

    def append(self, data: bytes) -> None:
        """Add bytes at the end."""
        self._tail += data
        if len(self._tail) > _TAIL:
            del self._tail[: len(self._tail) - _TAIL]
        view = memoryview(data)
        while view:
            taken = self._store(view)
            self.end += taken
            view = view[taken:]

    def read(self, offset: int, limit: int) -> tuple[int, bytes]:
        """Up to ``limit`` bytes from ``offset`` or from the oldest kept after it: (start, bytes)."""
        begin = self.end - len(self._tail)
        if offset >= begin:
            at = offset - begin
            return offset, bytes(self._tail[at : at + limit])
        start, data = read(self._folder, offset, limit)
        return (start, data) if data else (begin, bytes(self._tail[:limit]))

    def close(self) -> None:
        """Close the segment."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _store(self, view: memoryview) -> int:
        """Write some of it; what the disk refuses counts as written, and the gap shows in the next segment's name."""
        try:
            if self._room <= 0 or self._fd < 0:
                self._next_segment()
            taken = os.write(self._fd, view[: self._room])
        except OSError as error:
            self.fault = f"Output is not kept in {self._folder}: {error.strerror}. Make room on the disk."
            self.close()
            return len(view)
        self.fault = None
        self._room -= taken
        return taken

    def _next_segment(self) -> None:
        self.close()
        self._prune()
        path = self._folder / f"{self.end:016d}{_SUFFIX}"
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._room = self._segment

    def _prune(self) -> None:
        for path in _segments(self._folder):
            if _start(path) + self._segment > self.end - self._keep + self._segment:
                return
            path.unlink()


def read(folder: Path, offset: int, limit: int) -> tuple[int, bytes]:
    """Up to ``limit`` bytes from ``offset`` or from the oldest kept after it: (start, bytes); no bytes at the end."""
    out = bytearray()
    start = -1
    for path in _segments(folder):
        with contextlib.suppress(FileNotFoundError):  # pruned meanwhile
            first, size = _start(path), path.stat().st_size
            if first + size <= offset or (start >= 0 and first != start + len(out)):
                continue
            at = max(offset, first) if start < 0 else first
            start = at if start < 0 else start
            with path.open("rb") as file:
                file.seek(at - first)
                out += file.read(limit - len(out))
            if len(out) >= limit:
                break
    return (start, bytes(out)) if start >= 0 else (offset, b"")


def span(folder: Path) -> tuple[int, int]:
    """Offsets of the oldest byte kept and of the end."""
    paths = _segments(folder)
    if not paths:
        return 0, 0
    return _start(paths[0]), _start(paths[-1]) + paths[-1].stat().st_size


def _segments(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []


def _start(path: Path) -> int:
    return int(path.name.removesuffix(_SUFFIX))
