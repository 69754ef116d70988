"""Requests for permission of the Agent Client Protocol as questions (pure)."""

import difflib
import json
import posixpath
import shlex
from collections.abc import Iterable
from typing import Any

from acp import schema

from engine.domain.gates import Choice, ChoiceKind, Edit, Question, Structured, Tier
from engine.runtimes.jsonlines import Json

CANCELLED = "(cancelled)"  # in place of an option's id: the outcome "cancelled"
LONGEST = 20_000  # characters of diffs and contents that a prompt shows
_KINDS: dict[str, ChoiceKind] = {
    "allow_once": "approve",
    "allow_always": "always",
    "reject_once": "reject",
    "reject_always": "always",  # a standing refusal is the user's to give, too
}
_HARMLESS = frozenset(("read", "search", "think"))
_IN = "[in "
_EDITS = {"delete": "delete", "move": "move"}


def handle(request: Json) -> str:
    """The engine's name of a request; its id may be 0."""
    return f"acp:{request['params']['toolCall']['toolCallId']}:{request['id']}"


def question(request: Json, title: str, known: Json, cwd: str) -> Question:
    """The question of one request. ``known``: what earlier updates said of the same tool call."""
    asked = schema.RequestPermissionRequest.model_validate(request["params"])
    call = {**known, **{key: value for key, value in request["params"]["toolCall"].items() if value is not None}}
    (command, unclear), edits = _placed(call, cwd), edits_of(call)
    return Question(
        prompt=_prompt(title, call, command, edits),
        command=command,
        choices=_choices(asked.options),
        source="acp",
        tier=_tier(call),
        screen_only="it is not clear in which folder it would run" if unclear else None,
        handle=handle(request),
        edits=edits,
    )


def command_of(call: Json) -> str | None:
    """The command that a tool call would run: as the agent gave it, or as the title that stands for it."""
    if call.get("kind") != "execute":
        return None
    raw = call.get("rawInput")
    given = raw.get("command") if isinstance(raw, dict) else None
    if isinstance(given, str):
        return given
    if isinstance(given, list):
        return " ".join(map(str, given))
    return str(call["title"]) if call.get("title") else None


def _placed(call: Json, cwd: str) -> tuple[str | None, bool]:
    """The command with the folder that it would run in, where that is another; and whether the folder is unclear."""
    command = command_of(call)
    folder, unclear = _folder(call)
    if command is None or folder is None or posixpath.normpath(posixpath.join(cwd, folder)) == posixpath.normpath(cwd):
        return command, unclear
    return f"cd {shlex.quote(folder)} && {command}", unclear


def _folder(call: Json) -> tuple[str | None, bool]:
    """Where a command would run: in its input, or in the words that Gemini puts beside it."""
    raw = call.get("rawInput")
    given = raw.get("cwd") or raw.get("workdir") if isinstance(raw, dict) else None
    if given is not None:
        return str(given), False
    for part in call.get("content") or ():
        inner = part.get("content")
        text = str(inner.get("text")) if isinstance(inner, dict) else ""
        if text.startswith(_IN):
            folder, *others = text.removeprefix(_IN).removesuffix(" [background]").split("]")
            return folder, len(others) > 1
    return None, False


def edits_of(call: Json) -> tuple[Edit, ...]:
    """The files that a tool call would change: its diffs, or what it deletes or moves."""
    found = [part for part in call.get("content") or () if part.get("type") == "diff"]
    edits = tuple(_edit(part) for part in found)
    kind = _EDITS.get(str(call.get("kind")))
    if kind is None:
        return edits
    named = {edit.path for edit in edits}
    places = [str(place["path"]) for place in call.get("locations") or ()]
    return (*edits, *(Edit(path, kind) for path in places if path not in named))


def _edit(part: Json) -> Edit:
    path, old, new = str(part["path"]), part.get("oldText"), str(part.get("newText") or "")
    lines = difflib.unified_diff(
        (old or "").splitlines(), new.splitlines(), "before" if old else "/dev/null", path, lineterm=""
    )
    return Edit(path, "update" if old else "add", "\n".join(lines))


def _choices(options: Iterable[Any]) -> tuple[Choice, ...]:
    """The agent's own options; where none of them says no, cancelling does."""
    found = tuple(_choice(option) for option in options)
    if any(choice.kind == "reject" for choice in found):
        return found
    return (*found, Choice("Cancel", "reject", Structured(CANCELLED)))


def _choice(option: Any) -> Choice:
    return Choice(option.name, _KINDS.get(str(option.kind), "other"), Structured(option.option_id))


def _tier(call: Json) -> Tier:
    """Until it is judged: reading is routine, whatever else is unknown."""
    return "routine" if call.get("kind") in _HARMLESS else "harmful"


def _prompt(title: str, call: Json, command: str | None, edits: tuple[Edit, ...]) -> str:
    shown = command or str(call.get("title") or call["toolCallId"])
    if command is not None:
        return f"{title} asks to run a command:\n{command}"
    if edits:
        named = "\n".join(f"{edit.kind} {edit.path}" for edit in edits)
        return _bounded(f"{title} asks to change files:\n{named}\n", [edit.diff for edit in edits if edit.diff])
    given = [json.dumps(call["rawInput"], ensure_ascii=False)] if call.get("rawInput") else []
    return _bounded(f"{title} asks for permission ({call.get('kind') or 'other'}):\n{shown}\n", given)


def _bounded(head: str, parts: Iterable[str]) -> str:
    text = "\n".join(parts)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n[{len(text) - LONGEST} more characters]"
    return head + text
