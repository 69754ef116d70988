"""Runners of a project's own tasks (make, npm, just, tox, ...): what stands behind a task's name counts, too.

A name promises something. Testing and building delete and make inside the project all the time, so behind such a name
only what reaches farther counts: another place, a remote, a database, another right. Behind any other name all harm
counts, and so does what the judge does not know.
"""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from engine.gates.sources.command import justfile, makefile, options, paths, taskfiles
from engine.gates.sources.command.call import Bench, Call
from engine.gates.sources.command.judgement import Finding, tier_of
from engine.gates.sources.command.targets import resolve

_RUN = frozenset(("run", "run-script", "rum", "urn"))
_SHORT = {"t": "test", "tst": "test"}
_INSTALLS = frozenset(("", "install", "i", "in", "ci", "add", "clean-install", "ic", "isntall"))
MOST_PACKAGES = 64  # folders of a workspace that are read
_EVERYWHERE = ("w", "workspace", "workspaces", "ws", "r", "recursive", "filter", "F", "include")
_VERBS = _RUN | _INSTALLS | frozenset(("run-many", "affected", "foreach", "workspace", "workspaces", "watch", "exec"))
_PLAIN = re.compile(
    r"(^|[-_./:])(tests?|lint\w*|builds?|checks?|format|fmt|ci|type-?s?|type-?checks?|bench|coverage|cov|verify|unit|e2e|dev"
    r"|serve|start|docs?|all|compile|generate|codegen|watch|style|help|list|deps|bundle|t|tst|fix|audit|py\d*)([-_./:]|$)",
    re.I,
)
_ON_INSTALL = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
_FOLDERS = ("C", "directory", "prefix", "cwd", "dir", "d", "working-directory")
_FILES = ("f", "file", "makefile", "justfile")


def behind(call: Call, got: options.Options, bench: Bench) -> list[Finding]:
    """Findings of the shell texts that this call would run out of the project's own files."""
    kind = _KINDS.get(call.name)
    folder = _folder(call, got, bench)
    if kind is None or folder is None:
        return []
    read = _Reader(folder, bench)
    texts = kind(got, read)
    bench.scripts.extend(read.seen)
    return _harm(texts, call, folder, bench, plain=_promises_work(got))


def beside(call: Call, bench: Bench) -> list[Finding]:
    """Scripts that a Python project gives a name to: ``pdm run NAME`` and its kin."""
    words = [word for word in call.args if not word.text.startswith("-")]
    if len(words) < 2 or words[0].text != "run" or call.scope.cwd is None:
        return []
    read = _Reader(call.scope.cwd, bench)
    text = read("Pipfile" if call.name == "pipenv" else "pyproject.toml")
    texts = taskfiles.python_scripts(text, words[1].text) if text else []
    if texts:
        bench.scripts.extend(read.seen)
    return _harm(texts, call, call.scope.cwd, bench, plain=_PLAIN.search(words[1].text) is not None)


def _promises_work(got: options.Options) -> bool:
    """Whether every task's name is that of a test, a build or their kin; no name is what the file does by default."""
    words = [word.text for word in (*got.operands, *got.values.get("t", []), *got.values.get("e", []))]
    names = [text for text in words if "=" not in text and text not in _VERBS and not text.startswith("-")]
    return all(_PLAIN.search(name) for name in names)


class _Reader:
    """Reads files below one folder and remembers which."""

    def __init__(self, folder: str, bench: Bench) -> None:
        self._folder = folder
        self._bench = bench
        self.seen: list[str] = []

    def __call__(self, name: str) -> str | None:
        path = paths.normal(name, self._folder)
        text = self._bench.where.read_text(path)
        if text is not None:
            self.seen.append(path)
        return text

    def below(self, pattern: str) -> list[str]:
        """Folders that a pattern such as ``packages/*`` names."""
        head, _, last = pattern.strip("/").removeprefix("./").rpartition("/")
        last = "*" if last == "**" else last
        if "*" not in last:
            return [pattern]
        names = self._bench.where.names(paths.normal(head or ".", self._folder))
        return [f"{head}/{name}" if head else name for name in names if fnmatchcase(name, last)][:MOST_PACKAGES]

    def first(self, names: Sequence[str]) -> str | None:
        """The first of these files that there is."""
        return next((text for name in names if (text := self(name)) is not None), None)


def _folder(call: Call, got: options.Options, bench: Bench) -> str | None:
    for name in _FOLDERS:
        for word in got.values.get(name, []):
            return resolve(word, call.scope, bench.where).path
    return call.scope.cwd


def _harm(texts: Sequence[str], call: Call, folder: str, bench: Bench, *, plain: bool) -> list[Finding]:
    inner = Bench(
        bench.where, bench.run, bench.judge_call, depth=bench.depth, steps=bench.steps, deadline=bench.deadline
    )
    for text in texts:
        scope = call.scope.fork()
        scope.cwd = folder
        inner.nested(text, scope)
    bench.steps = inner.steps
    bench.scripts.extend(inner.scripts)
    counts = _reaches_far if plain else _is_harm
    return [one for one in inner.findings if counts(one)]


def _is_harm(finding: Finding) -> bool:
    return tier_of(finding.effect) == "harmful"


def _reaches_far(finding: Finding) -> bool:
    effect = finding.effect
    return tier_of(effect) == "harmful" and effect.kind != "unknown" and effect.place not in ("project", "temp")


def _of_make(got: options.Options, read: _Reader) -> list[str]:
    if got.has("n", "just-print", "dry-run", "recon"):
        return []
    text = read.first([word.text for name in _FILES for word in got.values.get(name, [])] or makefile.NAMES)
    if text is None:
        return []
    words = [word.text for word in got.operands]
    given = dict(word.split("=", 1) for word in words if "=" in word)
    return makefile.runs(text, [word for word in words if "=" not in word], given, read)


def _of_just(got: options.Options, read: _Reader) -> list[str]:
    if got.has("n", "dry-run", "l", "list", "summary"):
        return []
    text = read.first([word.text for name in _FILES for word in got.values.get(name, [])] or justfile.NAMES)
    return [] if text is None else justfile.runs(text, [word.text for word in got.operands])


def _of_package(got: options.Options, read: _Reader) -> list[str]:
    root = read("package.json")
    scripts = _scripts(root)
    words = [word.text for word in got.operands if not word.text.startswith("-")]
    first = words[0] if words else ""
    if first in _RUN:
        names = words[1:2]
    elif first in ("workspace", "workspaces"):
        names = [word for word in words[1:] if word not in ("foreach", "run")]
    elif first in _INSTALLS:
        return [scripts[name] for name in _ON_INSTALL if name in scripts]
    else:
        names = [_SHORT.get(first, first)]
    found = [scripts[one] for name in names for one in (f"pre{name}", name, f"post{name}") if one in scripts]
    everywhere = first.startswith("workspace") or got.has(*_EVERYWHERE)
    return [*found, *_in_packages(root, names, read)] if everywhere else found


def _of_monorepo(got: options.Options, read: _Reader) -> list[str]:
    """turbo, nx, lerna: one task, in whichever packages have it."""
    words = [word.text.split("#")[-1].split(":")[-1] for word in (*got.operands, *got.values.get("t", []))]
    names = [name for text in words for name in text.split(",") if name not in _VERBS]
    root = read("package.json")
    scripts = _scripts(root)
    return [*(scripts[name] for name in names if name in scripts), *_in_packages(root, names, read)]


def _in_packages(root: str | None, names: Sequence[str], read: _Reader) -> list[str]:
    """What the packages of a workspace run under these names, each in its own folder."""
    texts: list[str] = []
    folders = [folder for pattern in _patterns(root, read) for folder in read.below(pattern)][:MOST_PACKAGES]
    for folder in dict.fromkeys(folders):
        scripts = _scripts(read(f"{folder}/package.json"))
        held = [one for name in names for one in (f"pre{name}", name, f"post{name}") if one in scripts]
        texts += [f"cd {shlex.quote(folder)}\n{scripts[one]}" for one in held]
    return texts


def _patterns(root: str | None, read: _Reader) -> list[str]:
    """Where packages lie: package.json's ``workspaces``, pnpm's file, else the usual folders."""
    loaded = _json(root)
    held = loaded.get("workspaces") if isinstance(loaded, dict) else None
    held = held.get("packages") if isinstance(held, dict) else held
    if not isinstance(held, list):
        found = re.findall(r"""^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*$""", read("pnpm-workspace.yaml") or "", re.M)
        held = found or ["packages/*", "apps/*", "libs/*"]
    return [str(one) for one in held if not str(one).startswith("!")]


def _scripts(text: str | None) -> dict[str, str]:
    found = _json(text)
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return {str(name): str(line) for name, line in scripts.items()} if isinstance(scripts, dict) else {}


def _json(text: str | None) -> Any:
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}


def _of_task(got: options.Options, read: _Reader) -> list[str]:
    if got.has("n", "dry", "l", "list", "list-all", "summary", "status"):
        return []
    text = read.first([word.text for word in got.values.get("t", [])] or taskfiles.TASKFILES)
    return [] if text is None else taskfiles.taskfile(text, [w.text for w in got.operands if "=" not in w.text])


def _of_tox(got: options.Options, read: _Reader) -> list[str]:
    if got.has("l", "listenvs", "showconfig") or [w.text for w in got.operands[:1]] in (["list"], ["config"]):
        return []
    text = read("tox.ini")
    chosen = [name for word in got.values.get("e", []) for name in word.text.split(",")]
    return taskfiles.tox(text, chosen) if text else []


def _of_nox(got: options.Options, read: _Reader) -> list[str]:
    text = None if got.has("l", "list") else read("noxfile.py")
    return taskfiles.nox(text) if text else []


def _of_cargo(got: options.Options, read: _Reader) -> list[str]:
    text = read.first((".cargo/config.toml", ".cargo/config")) if got.operands else None
    return taskfiles.cargo_alias(text, got.operands[0].text) if text else []


_KINDS: dict[str, Callable[[options.Options, _Reader], list[str]]] = {
    "make": _of_make,
    "gmake": _of_make,
    "just": _of_just,
    "npm": _of_package,
    "yarn": _of_package,
    "pnpm": _of_package,
    "bun": _of_package,
    "turbo": _of_monorepo,
    "nx": _of_monorepo,
    "lerna": _of_monorepo,
    "task": _of_task,
    "tox": _of_tox,
    "nox": _of_nox,
    "cargo": _of_cargo,
}
