"""Unified diffs: file by file, what goes and what comes, each line exactly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from voice.speak.verbalise.command import speak_exact
from voice.speak.verbalise.hide import hidden_stretches
from voice.speak.verbalise.output import speak_output
from voice.speak.verbalise.phrases import Phrases
from voice.speak.verbalise.prose import replace_stretches

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SIDES = {"-": "-", "+": "+", " ": "-+"}


@dataclass
class FileChange:
    """One file of a diff; ``lines`` are (sign, text) with sign "+", "-" or " "."""

    old: str = ""
    new: str = ""
    lines: list[tuple[str, str]] = field(default_factory=list)


def parse(text: str) -> list[FileChange]:
    """The files of a unified diff; a hunk is as long as its header says, whatever its lines look like."""
    changes: list[FileChange] = []
    left = {"-": 0, "+": 0}  # lines of the present hunk still to come on each side
    for line in text.splitlines():
        sign = line[:1] or " "
        if max(left.values()) > 0 and sign in _SIDES:
            _count_down(left, sign)
            changes[-1].lines.append((sign, line[1:]))
        elif hunk := _HUNK.match(line):
            left = {"-": _lines(hunk[1]), "+": _lines(hunk[2])}
            changes = changes or [FileChange()]
        else:
            _header_line(line, changes)
    return changes


def _lines(count: str | None) -> int:
    return 1 if count is None else int(count)


def _count_down(left: dict[str, int], sign: str) -> None:
    for side in _SIDES[sign]:
        left[side] -= 1


def _header_line(line: str, changes: list[FileChange]) -> None:
    """Headers name a file; without any hunk header, signed lines are still lines."""
    if line.startswith("--- "):
        changes.append(FileChange(old=_path(line)))
    elif line.startswith("+++ ") and changes:
        changes[-1].new = _path(line)
    elif line[:1] in ("+", "-"):
        if not changes:
            changes.append(FileChange())
        changes[-1].lines.append((line[0], line[1:]))


def _path(header: str) -> str:
    path = header[4:].split("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path


def speak_diff(text: str, phrases: Phrases) -> tuple[str, str, int]:
    """``(whole, short, secrets)``: every changed line with its sign in words, and a count of them."""
    text, secrets = _without_long_secrets(text, phrases)
    changes = parse(text)
    if not changes:
        return speak_output(text, phrases)
    spoken: list[str] = []
    for change in changes:
        spoken += _header(change, phrases)
        for sign, line in change.lines:
            sentence, found = _line(sign, line, phrases)
            spoken.append(sentence)
            secrets += found
    return "\n".join(spoken), _short(changes, phrases), secrets


def _without_long_secrets(text: str, phrases: Phrases) -> tuple[str, int]:
    """Secrets over several lines (private keys) go before the lines are parted; the others are found line by line."""
    long = tuple(s for s in hidden_stretches(text, phrases) if s.secret and "\n" in text[s.start : s.end])
    return replace_stretches(text, long), len(long)


def _header(change: FileChange, phrases: Phrases) -> Iterator[str]:
    if change.new == "/dev/null":
        name, file = "gone_file", change.old
    else:
        name, file = ("new_file" if change.old == "/dev/null" else "in_file"), change.new
    if file:
        yield phrases.sentence(name, file=speak_exact(file, (), phrases, spell_gaps=True))


def _line(sign: str, line: str, phrases: Phrases) -> tuple[str, int]:
    stretches = hidden_stretches(line, phrases)
    indented = line.strip()
    shift = len(line) - len(line.lstrip())
    moved = tuple(type(s)(s.start - shift, s.end - shift, s.phrase, s.secret) for s in stretches if s.start >= shift)
    words = speak_exact(indented, moved, phrases) if indented else phrases.sentences["blank_line"]
    name = {"+": "added", "-": "removed"}.get(sign, "context")
    return phrases.sentence(name, text=words) + ".", sum(stretch.secret for stretch in stretches)


def _short(changes: list[FileChange], phrases: Phrases) -> str:
    count = {sign: sum(1 for change in changes for found, _ in change.lines if found == sign) for sign in "+-"}
    return phrases.sentence(
        "diff_short",
        files=phrases.counted("file", len(changes)),
        added=phrases.counted("line", count["+"]),
        removed=phrases.counted("line", count["-"]),
    )
