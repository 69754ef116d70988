"""A permission request as a question: exact command or diff, and the two answers that its hook takes. Pure."""

import difflib
import json
from collections.abc import Callable, Mapping
from typing import Any

from engine.domain.gates import Choice, Edit, Question, Structured
from engine.runtimes.claude_hooks.payload import Payload

ALLOW, DENY = "allow", "deny"
_CHOICES = (Choice("Yes", "approve", Structured(ALLOW)), Choice("No", "reject", Structured(DENY)))
_MOST_SHOWN = 200_000  # characters of a diff
_PATHS = ("file_path", "notebook_path", "path")

OldText = Callable[[str], str | None]  # what a file holds now; None when there is none


def question(payload: Payload, handle: str, old_text: OldText) -> Question:
    """The question. What it would do is judged by whoever makes a gate of it; until then it counts as harmful."""
    given = payload.tool_input
    command = given.get("command") if isinstance(given.get("command"), str) else None
    edits = () if command is not None else _edits(payload.tool_name, given, old_text)
    return Question(
        prompt=_prompt(payload, command, edits),
        command=command,
        choices=_CHOICES,
        source="hook",
        tier="harmful",
        handle=handle,
        edits=edits,
    )


def _prompt(payload: Payload, command: str | None, edits: tuple[Edit, ...]) -> str:
    if command is not None:
        return f"{payload.tool_name}: {command}"
    if edits:
        edit = edits[0]
        return f"{payload.tool_name}: {edit.path}" + (f"\n{edit.diff}" if edit.diff else "")
    return f"{payload.tool_name}: {json.dumps(payload.tool_input, ensure_ascii=False, indent=1)}"[:_MOST_SHOWN]


def _edits(tool: str, given: Mapping[str, Any], old_text: OldText) -> tuple[Edit, ...]:
    path = next((given[key] for key in _PATHS if isinstance(given.get(key), str)), None)
    after = _after(given)
    if path is None or after is None:
        return ()
    before = old_text(path)
    replaced = given.get("old_string")
    diff = _diff(replaced if isinstance(replaced, str) else before or "", after)
    return (Edit(path, "add" if before is None else "update", diff[:_MOST_SHOWN]),)


def _after(given: Mapping[str, Any]) -> str | None:
    for key in ("content", "new_string", "new_source"):
        if isinstance(given.get(key), str):
            return str(given[key])
    edits = given.get("edits")
    return json.dumps(edits, ensure_ascii=False, indent=1) if isinstance(edits, list) else None


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))
