"""A screen as rows of text without frames, and logical lines joined over wraps. Pure."""

import re
from dataclasses import dataclass

from engine.ports.runtime import Screen

_FRAME_EDGE = re.compile(r"^[\s│┃║▌▎|]*|[\s│┃║▐|]*$")
_RULE = re.compile(r"^[\s]*[╭╰┌└├╔╚]?[─━═▔▁╌┄-]{3,}.*$|^\s*[╭╰┌└╔╚▄▀][─━═▄▀\s]*.*[╮╯┐┘╗╝▄▀]?\s*$")


def plain(line: str) -> str:
    """A row without its box and indentation."""
    return _FRAME_EDGE.sub("", line)


def is_rule(line: str) -> bool:
    """A horizontal line or the edge of a box."""
    return bool(line.strip()) and _RULE.match(line) is not None and not re.search(r"[^\W_]{3,}.*[.?!]$", line)


@dataclass(frozen=True, slots=True)
class CursorLine:
    """The logical line under the cursor: its text up to the cursor, and its first row."""

    text: str
    first: int
    row: int
    at_end: bool  # nothing but blanks behind the cursor and below it


def last_row(screen: Screen) -> int:
    """The lowest row with text, or -1."""
    return max((i for i, line in enumerate(screen.lines) if line.strip()), default=-1)


def cursor_line(screen: Screen) -> CursorLine:
    """The line where the cursor stands, joined with the rows that it continues."""
    row = min(screen.cursor_row, max(len(screen.lines) - 1, 0))
    line = screen.lines[row] if screen.lines else ""
    # The row's trailing blanks are not kept; the cursor's column says how many there were.
    head = _cut(line, screen.cursor_col)
    tail = line[len(head.rstrip()) :] if len(head) <= len(line) else ""
    first = row
    while first > 0 and (first - 1) in screen.wrapped:
        first -= 1
        head = screen.lines[first] + head
    done = not tail.strip() and last_row(screen) <= row
    return CursorLine(head, first, row, done)


def _cut(line: str, column: int) -> str:
    """The part of a row left of a column; wide characters take two columns but one character."""
    if line.isascii():
        return line[:column].ljust(column) if column > len(line) else line[:column]
    import unicodedata

    width, index = 0, 0
    for index, char in enumerate(line):
        if width >= column:
            return line[:index]
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1
    return line + " " * max(0, column - width)


def block_above(screen: Screen, row: int, limit: int = 40) -> list[tuple[int, str]]:
    """Rows above ``row`` up to a rule or the top, as (row, plain text), from top to bottom."""
    rows: list[tuple[int, str]] = []
    for index in range(row - 1, max(-1, row - 1 - limit), -1):
        line = screen.lines[index]
        if is_rule(line):
            break
        rows.append((index, _inside(screen, index)))
    return rows[::-1]


def _inside(screen: Screen, index: int) -> str:
    """A row without its box; blanks where it runs on, or is run on to, part words and stay."""
    line = screen.lines[index]
    text = plain(line)
    if text != line.strip():
        return text
    before = line[: len(line) - len(line.lstrip())] if index - 1 in screen.wrapped else ""
    behind = line[len(line.rstrip()) :] if index in screen.wrapped else ""
    return before + text + behind if text else ""


def joined(screen: Screen, rows: list[tuple[int, str]]) -> list[str]:
    """Plain texts of rows, where a wrapped row runs on into the next."""
    lines: list[str] = []
    runs_on = False
    for index, text in rows:
        if runs_on and lines:
            lines[-1] += text
        else:
            lines.append(text)
        runs_on = index in screen.wrapped
    return lines
