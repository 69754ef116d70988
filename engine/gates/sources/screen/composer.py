"""The input line of an agent: where a message would land, and what stands in it. Pure."""

import re

from engine.gates.sources.screen.catalog import AgentPrompts
from engine.gates.sources.screen.menus import Menu
from engine.gates.sources.screen.rows import is_rule, last_row
from engine.ports.runtime import InputLine, Screen

_PICKING = re.compile(r"\b(enter|return|esc|escape|arrows?|select|confirm|cancel|navigate|space|press)\b|↑|↓", re.I)
_FOOTER = re.compile(r"\bshortcuts\b|\bcontext left\b|\b(to )?send\b|\bnewline\b|\btranscript\b|% left\b", re.I)
DEPTH = 12  # rows from the bottom in which an agent keeps its input line


def find(screen: Screen, agent: AgentPrompts) -> InputLine | None:
    """The input line, or None when there is none or the agent works."""
    bottom = last_row(screen)
    if agent.busy is not None and any(
        agent.busy.search(line) for line in screen.lines[max(0, bottom - DEPTH) : bottom + 1]
    ):
        return None
    if agent.at_cursor:
        return _read(screen, screen.cursor_row, agent) if screen.cursor_row >= bottom else None
    for row in range(bottom, max(-1, bottom - DEPTH), -1):
        if agent.needs is not None and not agent.needs.search(screen.lines[row]):
            continue
        if agent.framed and not _between_rules(screen, row):
            continue
        if (line := _read(screen, row, agent)) is not None:
            return line
    return None


def holds(screen: Screen, menu: Menu, agent: AgentPrompts) -> bool:
    """Whether what looks like a menu is only a text of several rows in the input line.

    Its marker stands in the first row and looks like the input line's own. A drawn box shows where that line begins,
    straight below a rule, where a menu has its question; without a box the notes below it tell: those of an input
    line speak of sending and shortcuts, those of a menu name the keys that pick.
    """
    if agent.at_cursor or menu.marked != 0 or agent.composer.match(screen.lines[menu.first]) is None:
        return False
    if agent.needs is not None and not agent.needs.search(screen.lines[menu.first]):
        return False
    boxed = _between_rules(screen, menu.first)
    if agent.framed or boxed:
        return boxed
    below = [line for line in screen.lines[menu.options[-1].row + 1 :] if line.strip()]
    return not any(_PICKING.search(line) and not _FOOTER.search(line) for line in below) and (
        any(_FOOTER.search(line) for line in below) or menu.options[0].number is None
    )


def _between_rules(screen: Screen, row: int) -> bool:
    """An echoed line that begins with the marker is no input line; the drawn box is what tells them apart."""
    above = screen.lines[max(0, row - 1) : row]
    below = screen.lines[row + 1 : row + 1 + DEPTH]
    return any(is_rule(line) for line in above) and any(is_rule(line) for line in below)


def _read(screen: Screen, row: int, agent: AgentPrompts) -> InputLine | None:
    if not 0 <= row < len(screen.lines):
        return None
    first = row
    while agent.at_cursor and first > 0 and (first - 1) in screen.wrapped:
        first -= 1
    match = agent.composer.match("".join(screen.lines[first : row + 1]))
    if match is None:
        return None
    text = (match.group("text") or "").strip()
    return InputLine(row, "" if agent.placeholder.match(text) else text)
