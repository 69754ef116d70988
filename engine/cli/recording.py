"""Recordings of terminals: raw bytes, and asciinema's .cast in its versions 2 and 3; sizes are columns and rows."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

# Raw bytes carry no times. A program may have waited where it ended a frame (synchronised update, cursor shown again),
# where it is about to draw over what it drew, or where the answer to a question is echoed behind it.
_WAITS = re.compile(
    rb"(?:\x1b\[\?2026l|\x1b\[\?25h)|(?=\x1b\[\?25l|\x1b\[2K\x1b\[1A|\x1b\[\?2026h)"
    rb"|(?:[?:\])] ?)(?=[yYnN](?:[eE][sS]|[oO])?\r?\n)"
)
_NEVER_PRINTED = re.compile(rb"[\x00-\x06\x10-\x17\x19\x1c-\x1f]")
SETTLE_SECONDS = 0.08
LOOKED_AT = 65_536  # bytes that tell whether a file is a terminal's output at all
ODD_SHARE = 0.05
LARGEST = 1000  # columns or rows


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a terminal from here on."""

    columns: int = 100
    rows: int = 30

    @classmethod
    def read(cls, text: str) -> "Size | None":
        """``100x30``, or None where the text is no size."""
        columns, _, rows = text.lower().partition("x")
        return cls.of(int(columns), int(rows)) if columns.isdecimal() and rows.isdecimal() else None

    @classmethod
    def of(cls, columns: Any, rows: Any) -> "Size | None":
        """Two numbers as a size, or None where no terminal has that size."""
        good = all(isinstance(one, int) and 0 < one <= LARGEST for one in (columns, rows))
        return cls(columns, rows) if good else None


@dataclass(frozen=True, slots=True)
class Bytes:
    """Output, and whether the terminal was quiet after it."""

    data: bytes
    settled: bool


def events(file: Path) -> Iterator[Bytes | Size]:
    """What happened, in order; raw bytes are cut where a program may have waited."""
    if file.suffix == ".cast":
        yield from _settled(_cast(file))
        return
    data = file.read_bytes()
    start = 0
    for match in _WAITS.finditer(data):
        if match.end() > start:
            yield Bytes(data[start : match.end()], True)
            start = match.end()
    yield Bytes(data[start:], True)


def oddity(file: Path) -> str | None:
    """What a person should know of a file that can raise no gate, as a sentence; None for an ordinary one."""
    with file.open("rb") as opened:
        head = opened.read(LOOKED_AT)
    if not head.strip():
        return f"{file} is empty, so there is nothing to replay. Record it again."
    if file.suffix == ".cast":
        has_output = any(isinstance(what, bytes) for _, what in _cast(file))
        return None if has_output else f"{file} has no output in it, so there is nothing to replay. Record it again."
    share = len(_NEVER_PRINTED.findall(head)) / len(head)
    if share > ODD_SHARE:
        return (
            f"{file} does not look like the output of a terminal: {share:.0%} of it are bytes that no program prints. "
            "It was replayed all the same; give a recording made with script or asciinema."
        )
    return None


def _settled(timed: Iterator[tuple[float, bytes | Size]]) -> Iterator[Bytes | Size]:
    """Output is settled where nothing follows, or only later."""
    waiting: tuple[float, bytes] | None = None
    for at, what in timed:
        if waiting is not None:
            yield Bytes(waiting[1], at - waiting[0] >= SETTLE_SECONDS)
            waiting = None
        if isinstance(what, Size):
            yield what
        else:
            waiting = (at, what)
    yield Bytes(waiting[1] if waiting else b"", True)


def _cast(file: Path) -> Iterator[tuple[float, bytes | Size]]:
    """Seconds since the start, and what happened then; raises a sentence for a line that is no event."""
    relative = False
    clock = 0.0
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").split("\n"), start=1):
        if not line.strip() or (relative and line.startswith("#")):
            continue
        value = _value(line, number, file)
        if isinstance(value, dict):
            relative = value.get("version") == 3
            if (size := _header_size(value)) is not None:
                yield 0.0, size
            continue
        clock, kind, data = _event(value, number, file, clock if relative else 0.0)
        if kind == "o":
            yield clock, data.encode("utf-8", "replace")
        elif kind == "r" and (size := Size.read(data)) is not None:
            yield clock, size


def _header_size(header: dict[str, Any]) -> Size | None:
    term = header.get("term")
    if isinstance(term, dict):
        return Size.of(term.get("cols"), term.get("rows"))
    return Size.of(header.get("width"), header.get("height"))


def _value(line: str, number: int, file: Path) -> Any:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _bad(file, number, error) from error
    if isinstance(value, dict) and number > 1:
        raise _bad(file, number, "a header in the middle")
    return value


def _event(value: Any, number: int, file: Path, since: float) -> tuple[float, str, str]:
    try:
        at, kind, data, *_ = value
        return since + float(at), str(kind), str(data)
    except (ValueError, TypeError) as error:
        raise _bad(file, number, error) from error


def _bad(file: Path, number: int, why: object) -> click.ClickException:
    return click.ClickException(
        f"{file}, line {number}, is no event of a recording ({why}). Record it again or cut the line off."
    )
