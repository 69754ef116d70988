"""A model of power loss: after each system call, every mixture of what was synced and what was not.

Strict, as POSIX is: a file's contents are safe once it was synced, a name once its folder was. What is not safe may be
there or not, and contents that were not synced may be gone or zeros.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

Names = Literal["kept", "dropped", "mixed"]
Contents = Literal["dropped", "zeroed", "kept"]
CALLS = ("write", "fsync", "rename", "replace", "unlink", "link", "mkdir", "rmdir", "ftruncate")
# Names may be kept although contents are not, and the other way round; mixed: each pending name by a throw of the dice.
MODES: tuple[tuple[Names, Contents], ...] = (
    ("kept", "zeroed"),
    ("kept", "dropped"),
    ("dropped", "zeroed"),
    ("dropped", "kept"),
    ("mixed", "zeroed"),
)
Entries = dict[str, int]


@dataclass(frozen=True)
class State:
    """The tree at one moment: entries of each folder and contents of each file, by inode; now, and what is safe."""

    root: int
    names: dict[int, Entries]
    safe_names: dict[int, Entries]
    contents: dict[int, bytes]
    safe_contents: dict[int, bytes]
    label: str

    def rebuild(self, target: Path, names: Names, contents: Contents, dice: random.Random) -> None:
        """What a power loss at this moment leaves, in one of the mixtures."""
        self._folder(self.root, target, names, contents, dice)

    def _folder(self, inode: int, target: Path, names: Names, contents: Contents, dice: random.Random) -> None:
        target.mkdir()
        for name, child in sorted(self._entries(inode, names, dice).items()):
            if child in self.names or child in self.safe_names:
                self._folder(child, target / name, names, contents, dice)
            else:
                (target / name).write_bytes(self._data(child, contents))

    def _entries(self, inode: int, names: Names, dice: random.Random) -> Entries:
        now, safe = self.names.get(inode, {}), self.safe_names.get(inode, {})
        if names == "kept":
            return now if inode in self.names else safe
        if names == "dropped":
            return safe
        merged = dict(safe)
        for name in sorted(now.keys() | safe.keys()):
            if now.get(name) != safe.get(name) and dice.random() < 0.5:
                merged.pop(name, None)
                if name in now:
                    merged[name] = now[name]
        return merged

    def _data(self, inode: int, contents: Contents) -> bytes:
        now, safe = self.contents.get(inode, b""), self.safe_contents.get(inode, b"")
        if contents == "kept" or now == safe:
            return now
        if contents == "dropped":
            return safe
        same = next((n for n, (a, b) in enumerate(zip(now, safe, strict=False)) if a != b), min(len(now), len(safe)))
        return now[:same] + b"\0" * (len(now) - same)


@dataclass
class Power:
    """Watches one folder tree; ``states`` are the moments at which the power may fail, in order."""

    root: Path
    states: list[State] = field(default_factory=list)
    _safe_names: dict[int, Entries] = field(default_factory=dict)
    _safe_contents: dict[int, bytes] = field(default_factory=dict)
    _held: dict[int, int] = field(default_factory=dict)  # open, so that no inode is used again meanwhile

    @contextmanager
    def watching(self, patch: pytest.MonkeyPatch) -> Iterator[Power]:
        """All that is there now counts as safe."""
        names, contents = self._scan()
        self._safe_names, self._safe_contents = dict(names), dict(contents)
        try:
            with patch.context() as context:
                for name in CALLS:
                    context.setattr(os, name, self._noting(name, getattr(os, name)))
                yield self
            self._note("the end")
        finally:
            for fd in self._held.values():
                os.close(fd)

    def moments(self) -> int:
        """How many there are so far: what is acknowledged now has to be there at this one and after it."""
        return len(self.states)

    def _noting(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self._note(f"before {name}")
            result = real(*args, **named)
            if name == "fsync":
                self._synced(args[0])
            return result

        return call

    def _synced(self, fd: int) -> None:
        status = os.fstat(fd)
        names, contents = self._scan()
        if stat.S_ISDIR(status.st_mode):
            self._safe_names[status.st_ino] = names.get(status.st_ino, {})
        elif status.st_ino in contents:
            self._safe_contents[status.st_ino] = contents[status.st_ino]

    def _note(self, label: str) -> None:
        names, contents = self._scan()
        root = self.root.stat().st_ino
        self.states.append(State(root, names, dict(self._safe_names), contents, dict(self._safe_contents), label))

    def _scan(self) -> tuple[dict[int, Entries], dict[int, bytes]]:
        names: dict[int, Entries] = {}
        contents: dict[int, bytes] = {}
        pending = [self.root]
        while pending:
            folder = pending.pop()
            entries: Entries = {}
            for entry in os.scandir(folder):
                inode = entry.inode()
                entries[entry.name] = inode
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                else:
                    contents[inode] = Path(entry.path).read_bytes()
                if inode not in self._held:
                    self._held[inode] = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
            names[folder.stat().st_ino] = entries
        return names, contents
