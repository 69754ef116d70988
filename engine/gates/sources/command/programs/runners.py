"""Runners of a project's own tasks (make, npm, just, ...): what stands behind a task's name counts, too.

A name promises something, and building deletes and makes inside the project all the time; so what counts is what
reaches farther: another place, a remote, a database, another right. What the judge does not know in a task is left to
its name.
"""

import json
from collections.abc import Callable, Sequence

from engine.gates.sources.command import justfile, makefile, options, paths
from engine.gates.sources.command.call import Bench, Call
from engine.gates.sources.command.judgement import Finding, tier_of
from engine.gates.sources.command.targets import resolve

_RUN = frozenset(("run", "run-script", "rum", "urn"))
_SHORT = {"t": "test", "tst": "test"}
_INSTALLS = frozenset(("", "install", "i", "in", "ci", "add", "clean-install", "ic", "isntall"))
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
    return _far_reaching(texts, call, folder, bench)


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

    def first(self, names: Sequence[str]) -> str | None:
        """The first of these files that there is."""
        return next((text for name in names if (text := self(name)) is not None), None)


def _folder(call: Call, got: options.Options, bench: Bench) -> str | None:
    for name in _FOLDERS:
        for word in got.values.get(name, []):
            return resolve(word, call.scope, bench.where).path
    return call.scope.cwd


def _far_reaching(texts: Sequence[str], call: Call, folder: str, bench: Bench) -> list[Finding]:
    inner = Bench(
        bench.where, bench.run, bench.judge_call, depth=bench.depth, steps=bench.steps, deadline=bench.deadline
    )
    for text in texts:
        scope = call.scope.fork()
        scope.cwd = folder
        inner.nested(text, scope)
    bench.steps = inner.steps
    bench.scripts.extend(inner.scripts)
    return [one for one in inner.findings if _reaches_far(one)]


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
    scripts = _scripts(read("package.json"))
    words = [word.text for word in got.operands if not word.text.startswith("-")]
    first = words[0] if words else ""
    if first in _RUN:
        names = words[1:2]
    elif first in _INSTALLS:
        return [scripts[name] for name in _ON_INSTALL if name in scripts]
    else:
        names = [_SHORT.get(first, first)]
    return [scripts[one] for name in names for one in (f"pre{name}", name, f"post{name}") if one in scripts]


def _scripts(text: str | None) -> dict[str, str]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return {str(name): str(line) for name, line in scripts.items()} if isinstance(scripts, dict) else {}


_KINDS: dict[str, Callable[[options.Options, _Reader], list[str]]] = {
    "make": _of_make,
    "gmake": _of_make,
    "just": _of_just,
    "npm": _of_package,
    "yarn": _of_package,
    "pnpm": _of_package,
    "bun": _of_package,
}
