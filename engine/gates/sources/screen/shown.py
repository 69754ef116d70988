"""The command or file that a prompt shows, joined over wraps and boxes. Pure."""

import re

from engine.gates.sources.screen.catalog import AgentPrompts
from engine.gates.sources.screen.rows import joined, plain
from engine.ports.runtime import Screen

_DOLLAR = re.compile(r"^\$\s+(?P<command>\S.*)$")
_RUN = re.compile(
    r"^(?:run|execute|allow|Run command:?|Allow command:?)\s+[`'\"]?(?P<command>.+?)[`'\"]?\s*\?\s*(?:[\[(].*)?$", re.I
)
_PROSE = re.compile(r"^[A-Z][a-z]*( [\w.,'’/()-]+)+\.?$")
_DANGER = re.compile(r"^(rm|del|dd|mv|unlink|format|shred|git|sudo)\b", re.I)


def command_in(screen: Screen, rows: list[tuple[int, str]], agent: AgentPrompts) -> str | None:
    """The command shown in these rows of a question, whole, or None."""
    lines = joined(screen, rows)
    for index, line in enumerate(lines):
        if agent.title is not None and (match := agent.title.match(line)):
            if "command" in match.groupdict():
                return _gemini(match.group("command"), lines[index + 1 :])
            return _paragraph(lines[index + 1 :])
        if match := _DOLLAR.match(line):
            return _continued(match.group("command"), lines[index + 1 :])
    return None


def _paragraph(lines: list[str]) -> str | None:
    """The rows below a title; the last one is left out where it can only be a description."""
    rows: list[str] = []
    for line in lines:
        if not line:
            if rows:
                break
            continue
        rows.append(line)
    if len(rows) > 1 and _PROSE.match(rows[-1]) and not _DANGER.match(rows[-1]):
        rows.pop()
    return "\n".join(rows) if rows else None


def _continued(first: str, rest: list[str]) -> str:
    rows = [first]
    for line in rest:
        if not line or line.endswith("?"):
            break
        rows.append(line)
    return "\n".join(rows)


def _gemini(first: str, rest: list[str]) -> str:
    command = re.sub(r"\s*\[(current working directory|in) .*$", "", first)
    command = re.sub(r"\s*←\s*$", "", command)
    following = [line for line in rest if line]
    # The box below repeats the command whole, where the title cuts it.
    if following and command.endswith(("…", "...")) and following[0].startswith(command.rstrip("….")[:20]):
        return following[0]
    return command


def command_of_line(text: str) -> str | None:
    """``Run rm -rf build? [y/N]``: the command between verb and question mark."""
    match = _RUN.match(text.strip())
    return match.group("command") if match else None


def rows_of_subject(screen: Screen, first: int, limit: int = 12) -> list[str]:
    """Rows directly above a question up to a blank one (aider shows the command there)."""
    rows: list[str] = []
    for index in range(first - 1, max(-1, first - 1 - limit), -1):
        text = plain(screen.lines[index])
        if not text or text.startswith("```"):
            break
        rows.insert(0, text)
    return rows
