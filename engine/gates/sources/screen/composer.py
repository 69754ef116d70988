"""The input line of an agent: where a message would land, and what stands in it. Pure."""

from engine.gates.sources.screen.catalog import AgentPrompts
from engine.gates.sources.screen.rows import is_rule, last_row
from engine.ports.runtime import InputLine, Screen

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
