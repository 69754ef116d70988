"""Edits of files and calls of tools by an agent."""

from collections.abc import Mapping
from typing import Any

from engine.gates.sources.command import hidden, paths
from engine.gates.sources.command.call import Scope, unknown
from engine.gates.sources.command.judge import judge
from engine.gates.sources.command.judgement import Finding, Judgement, conclude, found
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.targets import resolve, undo_of
from engine.gates.sources.command.words import literal
from engine.gates.sources.command.writes import guarded

_READ_TOOLS = frozenset(
    [
        "read",
        "readfile",
        "read_file",
        "view",
        "cat",
        "ls",
        "list",
        "listdir",
        "list_directory",
        "glob",
        "grep",
        "search",
        "ripgrep",
        "search_file_content",
        "find_files",
        "read_many_files",
        "todowrite",
        "todoread",
        "todo",
        "update_plan",
        "exitplanmode",
        "notebookread",
        "bashoutput",
        "think",
        "websearch",
        "web_search",
        "google_web_search",
        "task_list",
        "get_internal_docs",
    ]
)
_WRITE_TOOLS = frozenset(
    [
        "write",
        "writefile",
        "write_file",
        "edit",
        "multiedit",
        "editfile",
        "edit_file",
        "replace",
        "str_replace",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "create",
        "createfile",
        "create_file",
        "notebookedit",
        "insert",
        "patch",
        "apply_patch",
    ]
)
_SHELL_TOOLS = frozenset(
    [
        "bash",
        "shell",
        "run_shell_command",
        "exec_command",
        "execute",
        "terminal",
        "run_terminal_cmd",
        "local_shell",
        "powershell",
        "run_command",
    ]
)
_FETCH_TOOLS = frozenset(["webfetch", "web_fetch", "fetch"])


def judge_edit(path: str, kind: str, where: Surroundings, diff: str | None = None) -> Judgement:
    """What creating, changing or deleting the file ``path`` means."""
    target = resolve(literal(path), Scope(where.cwd), where)
    findings: list[Finding] = []
    if target.path is None:
        findings.append(unknown(path))
    elif (kept := guarded(target.path, path, where)) is not None:
        findings.append(kept)
    elif paths.is_credential(target.path):
        findings.append(found("configure", (path,), target.place, "secret_file", noun="file"))
    elif target.place not in ("project", "temp"):
        findings.append(found("overwrite", (path,), target.place, "write_outside", noun="file"))
    elif _deletes(kind):
        findings.append(found("delete", (path,), target.place, "delete", undo=undo_of(target, where), noun="file"))
    elif kind.lower() not in ("", "add", "create", "update", "edit", "modify", "write", "change"):
        findings.append(unknown(f"{kind} {path}"))
    reason = hidden.why(path)
    place = target.place if findings and target.place in ("home", "root", "system") else None
    return conclude(f"edit {path}", findings, reason or place)


def _deletes(kind: str) -> bool:
    return kind.lower() in ("delete", "remove", "unlink", "move", "rename")


def judge_tool(tool: str, given: Mapping[str, Any], where: Surroundings) -> Judgement:
    """What a call of an agent's tool means; a tool that nobody knows is harmful."""
    name = tool.lower().replace("-", "_")
    if name in _SHELL_TOOLS:
        return _command(tool, given, where)
    if name in _WRITE_TOOLS:
        return _edit(tool, given, where)
    if name in _READ_TOOLS:
        return _read(tool, given, where)
    if name in _FETCH_TOOLS:
        url = str(given.get("url") or given.get("prompt") or "")
        return conclude(f"{tool} {url}".strip(), [found("send", (url,), "remote", "send", undo="yes")])
    return conclude(tool, [unknown(tool)])


def _command(tool: str, given: Mapping[str, Any], where: Surroundings) -> Judgement:
    value = given.get("command", given.get("cmd", given.get("script")))
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join("'" + part.replace("'", "'\\''") + "'" for part in value)
    if not isinstance(value, str):
        return conclude(tool, [unknown(tool)])
    return judge(value, where)


def _edit(tool: str, given: Mapping[str, Any], where: Surroundings) -> Judgement:
    for key in ("file_path", "filePath", "path", "filename", "notebook_path", "absolute_path"):
        if isinstance(given.get(key), str):
            return judge_edit(str(given[key]), "edit", where)
    return conclude(tool, [unknown(tool)])


def _read(tool: str, given: Mapping[str, Any], where: Surroundings) -> Judgement:
    findings: list[Finding] = []
    for key in ("file_path", "filePath", "path", "absolute_path"):
        value = given.get(key)
        target = resolve(literal(value), Scope(where.cwd), where) if isinstance(value, str) else None
        if target is None or target.path is None:
            continue
        if paths.inside(target.path, where.conduit_home):
            findings.append(found("escape", (target.shown,), "home", "conduit_files", noun="file"))
        elif target.place not in ("project", "temp") and paths.is_credential(target.path):
            findings.append(found("send", (target.shown,), target.place, "read_secret", undo="yes", noun="file"))
    return conclude(tool, findings)
