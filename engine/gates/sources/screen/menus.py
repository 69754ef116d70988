"""Live menus by shape: numbered or marked choices at the bottom of the screen. Pure."""

import re
from dataclasses import dataclass

from engine.gates.sources.screen.rows import is_rule, last_row, plain
from engine.ports.runtime import Screen

_MARK = r"[❯›▸►▶●◉→➜⏵»>*]"
_NUMBERED = re.compile(rf"^(?P<lead>\s*(?P<mark>{_MARK})?\s*)(?P<num>\d{{1,2}})[.)]\s+(?P<label>\S.*)$")
_MARKED = re.compile(r"^(?P<lead>\s*(?P<mark>[❯›▸►▶●◉➜⏵»]|\(\*\)|\[[x✔]\])\s+)(?P<label>\S.*)$")
_HINT = re.compile(
    r"\b(esc|enter|return|tab|ctrl|shift|arrow|arrows|space|select|confirm|cancel|navigate|interrupt|amend|explain|shortcuts|tokens?|press)\b"
    r"|↑|↓|⇆|↵|⏎|^[✻✶✳✢·∗⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⠂⠐*]\s",
    re.I,
)
_PROMPT_BELOW = re.compile(r"^[│┃|\s]*[❯›>](\s|$)|[$#%>❯]\s?$")
MAX_BELOW = 5


@dataclass(frozen=True, slots=True)
class Option:
    """One row of a menu."""

    row: int
    number: int | None
    label: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu that waits: its options and the row where it begins."""

    first: int
    options: tuple[Option, ...]

    @property
    def marked(self) -> int:
        """The index of the option under the marker."""
        return next((i for i, option in enumerate(self.options) if option.marked), 0)


def find(screen: Screen) -> Menu | None:
    """The menu at the bottom, if one is live: a marker, choices, and nothing but hints below."""
    for build in (_numbered, _unnumbered):
        options = build(screen)
        if len(options) >= 2 and sum(option.marked for option in options) == 1 and _is_last(screen, options[-1].row):
            return Menu(options[0].row, tuple(options))
    return None


def _numbered(screen: Screen) -> list[Option]:
    options: list[Option] = []
    for row in range(last_row(screen), -1, -1):
        text = plain(screen.lines[row])
        match = _NUMBERED.match(text)
        if match is None:
            if options and not _continues(screen, row):
                break
            continue
        number = int(match.group("num"))
        if options and options[0].number is not None and number != options[0].number - 1:
            break
        label = _label(screen, row, match.group("label"), options[0].row if options else row + 4)
        options.insert(0, Option(row, number, label, match.group("mark") is not None))
        if number == 1:
            break
    return options


def _continues(screen: Screen, row: int) -> bool:
    """Blank rows between options, and rows that carry on a label."""
    line = screen.lines[row]
    return not plain(line) or (line.startswith("    ") and not is_rule(line)) or bool(re.match(r"^[│┃|]\s{4,}\S", line))


def _label(screen: Screen, row: int, label: str, until: int) -> str:
    parts = [label.strip()]
    for below in range(row + 1, min(until, len(screen.lines), row + 4)):
        text = plain(screen.lines[below])
        if (
            not text
            or is_rule(screen.lines[below])
            or _NUMBERED.match(text)
            or _HINT.search(text)
            or not _continues(screen, below)
        ):
            break
        parts.append(text)
    return " ".join(parts)


def _unnumbered(screen: Screen) -> list[Option]:
    bottom = last_row(screen)
    for row in range(bottom, max(-1, bottom - 24), -1):
        bare = screen.lines[row].replace("│", " ").replace("┃", " ")
        match = _MARKED.match(bare)
        if match is not None:
            return _siblings(screen, row, len(match.group("lead")), match.group("label").strip())
    return []


def _siblings(screen: Screen, row: int, column: int, label: str) -> list[Option]:
    """Rows above and below whose text starts in the marked label's column."""
    options = [Option(row, None, label, True)]
    for step in (-1, 1):
        at = row + step
        while 0 <= at < len(screen.lines) and (text := _at_column(screen.lines[at], column)) is not None:
            options.insert(0 if step < 0 else len(options), Option(at, None, text, False))
            at += step
    return options if _asked(screen, options) else []


def _at_column(line: str, column: int) -> str | None:
    bare = line.replace("│", " ").replace("┃", " ").rstrip()
    head, text = bare[:column], bare[column:]
    ok = (
        text[:1].strip()
        and not re.sub(r"\( \)|\[ \]|[○◯◦]", "", head).strip()
        and len(text) < 70
        and not _HINT.search(text)
    )
    return text.strip() if ok else None


def _asked(screen: Screen, options: list[Option]) -> bool:
    """Without numbers a menu also needs a question above or keys named below."""
    above = [plain(screen.lines[r]) for r in range(max(0, options[0].row - 3), options[0].row)]
    below = [plain(line) for line in screen.lines[options[-1].row + 1 : options[-1].row + 5]]
    return any(t.endswith(("?", ":")) or "arrow" in t.lower() for t in above if t) or any(
        _HINT.search(t) for t in below if t
    )


def _is_last(screen: Screen, row: int) -> bool:
    """Below a live menu stand only hints, rules and a spinner; never an input line."""
    others = 0
    for index in range(row + 1, last_row(screen) + 1):
        line = screen.lines[index]
        text = plain(line)
        if not text or is_rule(line):
            continue
        if _PROMPT_BELOW.search(line.rstrip()) and not _HINT.search(text):
            return False
        if not _HINT.search(text) and not _continues(screen, index):
            others += 1
        if index - row > MAX_BELOW + 8 or others > _spare(screen, row):
            return False
    return not _typed_below(screen, row)


def _spare(screen: Screen, row: int) -> int:
    """How many other rows may stand below: none where the cursor went on below the menu, as after printed text."""
    return 0 if screen.cursor_visible and screen.cursor_row > row else 2


def _typed_below(screen: Screen, row: int) -> bool:
    """A cursor that waits in a line of its own below takes the keys, not the menu."""
    if not screen.cursor_visible or screen.cursor_row <= row or screen.cursor_row >= len(screen.lines):
        return False
    text = screen.lines[screen.cursor_row][: screen.cursor_col]
    return bool(re.search(r"[$#%>❯›]\s*$", text))
