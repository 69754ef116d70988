"""Shared by the gates bench and its tests: the labelled sets, how they are run, and a plain pattern list."""

import json
import re
from pathlib import Path
from typing import Any

from engine.domain.gates import Question
from engine.gates.sources.command import FakeSurroundings, judge
from engine.gates.sources.screen import ScreenReader
from engine.ports.runtime import Screen
from engine.runtimes.screen import Emulator

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
PROJECT = "/home/ada/app"
# What pattern-matching tools commonly look for; the comparison, not a part of the product.
PLAIN_LIST = [
    re.compile(pattern, re.I if index < 4 else 0)
    for index, pattern in enumerate(
        (
            r"\[y/n\]|\(yes/no\)|\(y/n\)",
            r"Do you want to (proceed\?|make this edit|run this command|allow)",
            r"Allow (edit|command|tool)\?",
            r"Are you sure .*\?",
            r"\brm\s+(-\w*r\w*f\w*|-\w*f\w*r\w*)",
            r"\bgit\s+push\b.*\s(--force|-f)\b",
            r"\bgit\s+reset\s+--hard",
            r"\bgit\s+clean\s+-\w*f",
            r"\bgit\s+checkout\s+--(\s|$)",
            r"\bgit\s+branch\s+-D\b",
            r"(?i)\bDROP\s+(TABLE|DATABASE|SCHEMA)\b",
            r"(?i)\bTRUNCATE\s+TABLE\b",
            r"(?i)\bDELETE\s+FROM\b",
            r"(?i)\b(Remove-Item\b.*-Recurse|(rmdir|del)\b.*\s/s)",
            r"(?i)\bformat\s+[a-z]:",
            r"\bmkfs\b",
            r"\bdd\s+if=",
            r"\bkubectl\s+delete\b",
            r"\bterraform\s+(destroy|apply\s+-auto-approve)",
        )
    )
]


def plain_list_hits(text: str) -> bool:
    """Whether the plain list would raise something."""
    return any(pattern.search(text) for pattern in PLAIN_LIST)


def surroundings() -> FakeSurroundings:
    """The world in which the labelled commands stand."""
    names = ("existing.py", "README.md", "index.md", "src/app.py")
    return FakeSurroundings(
        files={f"{PROJECT}/{name}": "x" for name in names}, aliases={"nuke": "reset --hard", "wipe": "!rm -rf ."}
    )


def lines(name: str) -> list[dict[str, Any]]:
    """A labelled set."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line]


def judged(command: str) -> bool:
    """Whether Conduit asks before this command."""
    return judge(command, surroundings()).tier != "none"


def reader() -> ScreenReader:
    """A reader in the labelled world."""
    return ScreenReader(lambda cwd: surroundings())


def written_screen(row: dict[str, Any]) -> Screen:
    """A screen written as text; without a place the cursor stands behind the last character."""
    texts = row["text"].split("\n")
    at = row["cursor"] or [len(texts) - 1, len(texts[-1])]
    rows = [text.rstrip() for text in texts] + [""] * max(0, 30 - len(texts))
    return Screen(tuple(rows), at[0], at[1], row["visible"], "", False, False, 100)


def recorded_screen(row: dict[str, Any]) -> Screen:
    """The last screen of a recording."""
    columns, _, height = row["size"].partition("x")
    emulator = Emulator(int(height), int(columns))
    emulator.feed((DATA / "screens" / row["file"]).read_bytes())
    return emulator.screen()


def screens() -> list[tuple[str, dict[str, Any], Screen]]:
    """Every labelled screen: name, label, screen."""
    written = [(row["id"], row, written_screen(row)) for row in lines("screens/written.jsonl")]
    recorded = [(row["file"], row, recorded_screen(row)) for row in lines("screens/recorded.jsonl")]
    return written + recorded


def wrong(row: dict[str, Any], questions: tuple[Question, ...]) -> str | None:
    """What is wrong about the questions seen on a labelled screen, or None."""
    expect = row["expect"]
    if expect is None:
        return f"raised {questions[0].prompt!r}" if questions else None
    if not questions:
        return "missed"
    seen = questions[0]
    found = {
        "prompt": seen.prompt,
        "tier": seen.tier,
        "command": seen.command,
        "speakable": seen.speakable,
        "kinds": [choice.kind for choice in seen.choices],
        "keys": [list(getattr(choice.reply, "writes", ())) for choice in seen.choices],
    }
    bad = {key: found[key] for key in expect if expect[key] is not None and found[key] != expect[key]}
    return f"{bad}" if bad else None
