"""Codex's requests for approval as questions (pure)."""

import shlex
from typing import Any

from engine.domain.gates import Choice, Edit, Question, Structured
from engine.runtimes.jsonlines import Json

COMMAND = "item/commandExecution/requestApproval"
FILES = "item/fileChange/requestApproval"
LONGEST_DIFF = 20_000  # characters of all diffs that a prompt shows

_CHOICES = (
    Choice("Yes, once", "approve", Structured("accept")),
    Choice("Yes, for the whole session", "always", Structured("acceptForSession")),
    Choice("No", "reject", Structured("decline")),
)


def handle(request: Json) -> str:
    """The engine's name of a request; its id may be 0."""
    params = request["params"]
    return f"codex:{params.get('approvalId') or params['itemId']}:{request['id']}"


def question(request: Json, edits: tuple[Edit, ...], cwd: str) -> Question | None:
    """The question of a request for approval; None for any other request. ``edits``: what its item would change."""
    if request["method"] == COMMAND:
        return _command(request, cwd)
    if request["method"] == FILES:
        return _files(request, edits)
    return None


def edits_of(item: Json) -> tuple[Edit, ...]:
    """The changes of a ``fileChange`` item."""
    return tuple(_edit(change) for change in item.get("changes") or ())


def plain_command(command: str) -> str:
    """The script of ``/bin/bash -lc 'script'``, exact; any other command as it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    shells = ("bash", "sh", "zsh", "dash")
    if len(words) == 3 and words[0].rsplit("/", 1)[-1] in shells and words[1] in ("-lc", "-c"):
        return words[2]
    return command


def _command(request: Json, cwd: str) -> Question:
    params = request["params"]
    if params.get("networkApprovalContext") is not None or not params.get("command"):
        return _other(request)
    command = plain_command(str(params["command"]))
    where = params.get("cwd")
    if where and str(where) != cwd:
        command = f"cd {shlex.quote(str(where))} && {command}"
    prompt = f"Codex asks to run a command:\n{command}{_reason(params)}"
    return _question(request, prompt, command=command)


def _other(request: Json) -> Question:
    """Something of the same method that is no command: shown whole, since nobody knows what it means."""
    params = request["params"]
    shown = "\n".join(
        f"{name}: {value}" for name, value in params.items() if value is not None and not name.endswith(("Id", "Ms"))
    )
    return _question(request, f"Codex asks for permission:\n{shown}", command=params.get("command"))


def _files(request: Json, edits: tuple[Edit, ...]) -> Question:
    params = request["params"]
    named = "\n".join(f"{edit.kind} {edit.path}" for edit in edits) or "(it does not say which)"
    diffs = "\n".join(edit.diff for edit in edits if edit.diff)
    if len(diffs) > LONGEST_DIFF:
        diffs = f"{diffs[:LONGEST_DIFF]}\n[{len(diffs) - LONGEST_DIFF} more characters]"
    root = f"\nIt asks to write below {params['grantRoot']} from now on." if params.get("grantRoot") else ""
    prompt = f"Codex asks to change files:\n{named}\n{diffs}{root}{_reason(params)}"
    return _question(request, prompt, edits=edits)


def _question(request: Json, prompt: str, *, command: str | None = None, edits: tuple[Edit, ...] = ()) -> Question:
    return Question(
        prompt=prompt,
        command=command,
        choices=_CHOICES,
        source="codex",
        tier="harmful",  # until it is judged
        handle=handle(request),
        edits=edits,
    )


def _reason(params: Json) -> str:
    return f"\nIts reason: {params['reason']}" if params.get("reason") else ""


def _edit(change: Json) -> Edit:
    kind: Any = change.get("kind")
    name = str(kind.get("type")) if isinstance(kind, dict) else str(kind)
    moved = kind.get("move_path") if isinstance(kind, dict) else None
    path = str(change["path"])
    if moved:
        return Edit(path, "move", f"moved to {moved}\n{change.get('diff') or ''}")
    return Edit(path, name, change.get("diff"))
