"""JSONL: appended in whole lines under the lock, read tolerantly, and from the end at the cost of the end."""

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.storage.disk import guarded, sync, sync_folder, write_all
from engine.storage.locks import locked

log = logging.getLogger(__name__)

Record = dict[str, Any]
_BLOCK = 64 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the new lines lie (byte offsets), and what had to be set aside first."""

    start: int
    end: int
    torn: str | None


@dataclass(frozen=True, slots=True)
class Lines:
    """Good records, oldest first, and one sentence for each line that could not be read."""

    records: tuple[Record, ...]
    warnings: tuple[str, ...]


def dump(value: object) -> bytes:
    """JSON on one line, readable with ``cat``."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half of a surrogate pair: only the escaped form can carry it
        return json.dumps(value, separators=(",", ":")).encode()


def append_jsonl(path: Path, records: Sequence[Record]) -> Appended:
    """Append whole lines durably, or nothing. The folder has to exist; a torn tail is set aside first."""
    data = b"".join(dump(record) + b"\n" for record in records)
    with locked(path), guarded(path, "append to"):
        fd, fresh = _open(path)
        try:
            torn = _mend(fd, path)
            start = os.fstat(fd).st_size
            _append(fd, data, start)
        finally:
            os.close(fd)
        if fresh:
            sync_folder(path.parent)
    return Appended(start, start + len(data), torn)


def repair_tail(path: Path) -> str | None:
    """Set a torn tail aside in ``.torn``; the sentence that says so, or None when there was none."""
    if not path.exists():
        return None
    with locked(path), guarded(path, "repair"):
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        try:
            return _mend(fd, path)
        finally:
            os.close(fd)


def tail_jsonl(path: Path, n: int) -> Lines:
    """The last ``n`` good records, read from the end. A missing file has none."""
    if n <= 0:
        return Lines((), ())
    good: list[Record] = []
    warnings: list[str] = []
    with guarded(path, "read"):
        for offset, raw in _backwards(path):
            record = _parse(raw)
            if isinstance(record, str):
                warnings.append(f"{path.name}, the line at byte {offset}: {record}")
            elif record is not None:
                good.append(record)
                if len(good) == n:
                    break
    return Lines(tuple(reversed(good)), tuple(reversed(warnings)))


def iter_jsonl(path: Path, start: int = 0, warn: Callable[[str], None] | None = None) -> Iterator[Record]:
    """Every good record from byte ``start`` on; ``warn`` hears of each bad line, with its number. Rewrites nothing."""
    tell = warn or (lambda sentence: log.warning("%s", sentence))
    if not path.exists():
        return
    with guarded(path, "read"), path.open("rb") as stream:
        stream.seek(start)
        for number, raw in enumerate(stream, 1):
            record = _parse(raw)
            if isinstance(record, str):
                where = f"line {number}" if start == 0 else f"line {number} after byte {start}"
                tell(f"{path.name}, {where}: {record}")
            elif record is not None:
                yield record


def parse_object(raw: bytes) -> Record:
    """A JSON object from bytes, a byte order mark tolerated. Raises ValueError for anything else."""
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except RecursionError as fault:
        raise ValueError("it is nested too deeply") from fault
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return value


def _parse(raw: bytes) -> Record | str | None:
    """The record of a line, None for a blank one, or why it can't be read."""
    text = raw.replace(b"\0", b"").strip()  # zeros are what a power loss leaves, not content
    text = text.removeprefix(_BOM).strip()
    if not text:
        return None
    try:
        return parse_object(text)
    except ValueError as fault:
        return f"it can't be read ({fault})"


def _open(path: Path) -> tuple[int, bool]:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    try:
        return os.open(path, flags), False
    except FileNotFoundError:
        return os.open(path, flags | os.O_CREAT, 0o600), True


def _append(fd: int, data: bytes, start: int) -> None:
    try:
        write_all(fd, data)
        sync(fd)
    except OSError:
        os.ftruncate(fd, start)  # what was not acknowledged must not come up half
        raise


def _mend(fd: int, path: Path) -> str | None:
    size = os.fstat(fd).st_size
    if size == 0 or os.pread(fd, 1, size - 1) == b"\n":
        return None
    start = _last_line_start(fd, size)
    tail = os.pread(fd, size - start, start)
    if isinstance(_parse(tail), dict):  # complete, only its newline is missing
        write_all(fd, b"\n")
        sync(fd)
        return None
    aside = _set_aside(path, tail)
    os.ftruncate(fd, start)
    sync(fd)
    sentence = f"The last {len(tail)} bytes of {path} were cut off in mid-write; they are set aside in {aside.name}."
    log.warning("%s", sentence)
    return sentence


def _set_aside(path: Path, tail: bytes) -> Path:
    aside = path.with_name(f"{path.name}.torn")
    fd = os.open(aside, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        write_all(fd, tail + b"\n")
        sync(fd)
    finally:
        os.close(fd)
    sync_folder(path.parent)
    return aside


def _last_line_start(fd: int, size: int) -> int:
    position = size
    while position > 0:
        step = min(_BLOCK, position)
        position -= step
        found = os.pread(fd, step, position).rfind(b"\n")
        if found >= 0:
            return position + found + 1
    return 0


def _backwards(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines from the last to the first, each with its byte offset."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        position, rest, block = stream.seek(0, os.SEEK_END), b"", _BLOCK
        while position > 0:
            step = min(block, position)
            position -= step
            stream.seek(position)
            data = stream.read(step) + rest
            first = data.find(b"\n") if position > 0 else -1
            if position > 0 and first < 0:
                rest = data
                block *= 2  # else a line of many blocks would be copied once a block
                continue
            rest, whole = data[: first + 1], data[first + 1 :]
            yield from _reversed_lines(whole, position + first + 1)


def _reversed_lines(data: bytes, base: int) -> Iterator[tuple[int, bytes]]:
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end - 1) + 1
        yield base + start, data[start:end]
        end = start
