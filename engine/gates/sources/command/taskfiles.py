"""What other runners of tasks would run: Taskfile, tox, nox, pyproject, Pipfile, cargo's aliases (pure).

Each function gives shell texts, dependencies first; a file that does not parse gives none.
"""

import ast
import configparser
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

TASKFILES = (
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "Taskfile.dist.yaml",
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C reads twenty times as fast
_MOST = 200  # tasks or commands of one file
_NOX_RUNS = frozenset(("run", "run_always", "run_install"))


def taskfile(text: str, targets: Sequence[str]) -> list[str]:
    """Task's YAML: commands and dependencies of the targets, ``default`` without any; templates stay as they are."""
    try:
        loaded = yaml.load(text, Loader=_LOADER)
    except (yaml.YAMLError, RecursionError, ValueError):
        return []
    tasks = loaded.get("tasks") if isinstance(loaded, dict) else None
    if not isinstance(tasks, dict):
        return []
    done: set[str] = set()
    return [line for target in (targets or ("default",)) for line in _task(target, tasks, done)]


def _task(name: str, tasks: Mapping[Any, Any], done: set[str]) -> list[str]:
    if name in done or name not in tasks or len(done) > _MOST:
        return []
    done.add(name)
    task = tasks[name]
    if isinstance(task, str | list):
        task = {"cmds": task}
    if not isinstance(task, dict):
        return []
    steps = [*_listed(task.get("deps"), "task"), *_listed(task.get("cmds") or task.get("cmd"), "cmd")]
    return [line for kind, step in steps for line in ([step] if kind == "cmd" else _task(step, tasks, done))]


def _listed(value: Any, plain: str) -> list[tuple[str, str]]:
    """``cmds`` and ``deps``: texts, or mappings that hold a command or name a task."""
    steps: list[tuple[str, str]] = []
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            steps.append((plain, one))
        elif isinstance(one, dict):
            later = one.get("defer")
            held = later if isinstance(later, dict) else one
            steps += [(kind, str(held[kind])) for kind in ("cmd", "task") if kind in held]
            steps += [("cmd", later)] if isinstance(later, str) else []
    return steps[:_MOST]


def tox(text: str, environments: Iterable[str]) -> list[str]:
    """tox.ini: what the test environments run, all of them without a choice."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    chosen = {f"testenv:{name}" for name in environments}
    lines: list[str] = []
    for section in parser.sections():
        if section == "testenv" or (section.startswith("testenv:") and (not chosen or section in chosen)):
            for key in ("commands_pre", "commands", "commands_post"):
                lines += parser.get(section, key, fallback="").replace("\\\n", " ").split("\n")
    return [line.strip().lstrip("-! ") for line in lines if line.strip()][:_MOST]


def nox(text: str) -> list[str]:
    """noxfile.py: the commands that its sessions run, as far as they are written as texts."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    lines = []
    for call in calls:
        words = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if isinstance(call.func, ast.Attribute) and call.func.attr in _NOX_RUNS and words:
            lines.append(shlex.join(words))
    return lines[:_MOST]


def python_scripts(text: str, name: str) -> list[str]:
    """A named script of pdm, hatch, poe, rye, taskipy (pyproject.toml) or pipenv (Pipfile)."""
    loaded = _toml(text)
    tool = loaded.get("tool")
    tool = tool if isinstance(tool, dict) else {}
    tables = [
        _at(loaded, "scripts"),
        _at(tool, "pdm", "scripts"),
        _at(tool, "rye", "scripts"),
        _at(tool, "poe", "tasks"),
        _at(tool, "taskipy", "tasks"),
        *(_at(env, "scripts") for env in _at(tool, "hatch", "envs").values() if isinstance(env, dict)),
    ]
    wanted = name.rsplit(":", 1)[-1]
    return [line for table in tables for line in _lines(table.get(wanted), table, 0)]


def _lines(value: Any, table: Mapping[str, Any], depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [line for one in value[:_MOST] for line in _lines(one, table, depth)]
    if not isinstance(value, dict) or depth > 3:
        return []
    keys = ("cmd", "shell", "chain", "composite", "sequence")
    return [line for key in keys for line in _lines(value.get(key), table, depth + 1)]


def cargo_alias(text: str, name: str) -> list[str]:
    """``.cargo/config.toml``: what ``cargo NAME`` stands for."""
    value = _at(_toml(text), "alias").get(name)
    words = shlex.join(str(word) for word in value) if isinstance(value, list) else value
    return [f"cargo {words}"] if isinstance(words, str) else []


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _at(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        inner = table.get(name)
        table = inner if isinstance(inner, dict) else {}
    return dict(table)
