"""Paths among a command's words: where each would really point. Pure but for its surroundings."""

import re
from dataclasses import dataclass

from engine.domain.gates import Place, Undo
from engine.gates.sources.command import paths
from engine.gates.sources.command.call import Scope
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.words import Word

_GLOB_TAIL = re.compile(r"/?[^/]*[*?\[][^\0]*$")


@dataclass(frozen=True, slots=True)
class Target:
    """A path as written and as it resolves. ``path`` is None when it cannot be told."""

    shown: str
    path: str | None
    place: Place
    glob: bool = False
    whole: bool = False  # everything in ``path``, by a glob that spares nothing


def resolve(word: Word, scope: Scope, where: Surroundings) -> Target:
    """Where ``word`` points from the shell's present folder."""
    text = word.if_empty
    if not word.known and _worse_if_empty(text, scope, where):
        return Target(word.text, _strip(text)[0] or "/", _place(text, scope, where), word.glob)
    if not word.known and not _rooted(word.text):
        return Target(word.text, None, "unknown", word.glob)
    text = word.text if word.known else word.text.split("$", 1)[0].split("`", 1)[0]
    full = _home(text, word.quoted, where)
    if scope.cwd is None and not full.startswith("/"):
        return Target(word.text, None, "unknown", word.glob)
    body, whole = _strip(full) if word.glob else (full, False)
    path = paths.normal(body, scope.cwd or "/")
    return Target(_shown(word.text, full, scope, where), path, paths.place_of(path, where), word.glob, whole)


def _shown(text: str, full: str, scope: Scope, where: Surroundings) -> str:
    """The path as written, or as seen from the agent's folder once the line has gone elsewhere."""
    if scope.cwd is None or scope.cwd == where.cwd or full.startswith("/"):
        return text
    folder = scope.cwd.removeprefix(where.cwd.rstrip("/") + "/") if paths.inside(scope.cwd, where.cwd) else scope.cwd
    return f"{folder.rstrip('/')}/{text}"


def _rooted(text: str) -> bool:
    """An unknown tail below a known folder (``/var/data/$X``) still says where it lies."""
    head = re.split(r"[$`]", text, maxsplit=1)[0]
    return "/" in head and ".." not in text


def _worse_if_empty(text: str, scope: Scope, where: Surroundings) -> bool:
    return text.startswith(("/", "~")) and _place(text, scope, where) in ("root", "system", "home")


def _place(text: str, scope: Scope, where: Surroundings) -> Place:
    body = _strip(_home(text, False, where))[0]
    return paths.place_of(paths.normal(body or "/", scope.cwd or "/"), where)


def _strip(text: str) -> tuple[str, bool]:
    """The folder before the first glob, and whether the glob takes all of it."""
    match = re.search(r"[*?\[]", text)
    if match is None:
        return text, False
    head, _, name = text[: match.start()].rpartition("/")
    tail = text[match.start() :]
    folder = (head or "/") if "/" in text[: match.start()] else "."
    whole = name in ("", ".") and tail.strip("*/") in ("", ".", "[!.]", "[^.]")
    return (folder, True) if whole else (folder.rstrip("/") + "/" + (name + tail).split("/")[0], False)


def _home(text: str, quoted: bool, where: Surroundings) -> str:
    if quoted or not text.startswith("~"):
        return text
    head, slash, tail = text.partition("/")
    if head == "~":
        return where.home + slash + tail
    if head in ("~+", "~-"):
        return where.cwd + slash + tail
    return f"/home/{head[1:]}{slash}{tail}"


def undo_of(target: Target, where: Surroundings) -> Undo:
    """Whether what stands there can be had again, by asking the file system and git."""
    if target.path is None or target.glob:
        return "unknown"
    if not where.exists(target.path):
        return "unknown"
    if where.is_empty(target.path):
        return "yes"
    return "git" if where.tracked_clean(target.path) else "no"


def noun_of(target: Target, where: Surroundings, recursive: bool) -> str:
    """``folder`` or ``file``, as far as can be told."""
    if target.path is not None and where.exists(target.path):
        return "folder" if where.is_dir(target.path) or target.whole else "file"
    looks_like_file = "." in target.shown.rsplit("/", 1)[-1].strip(".")
    return "folder" if target.shown.endswith("/") or (recursive and not looks_like_file) else "file"
