"""What the judge may ask about the world: read-only, bounded in time, with a fake for tests."""

import os
import subprocess
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Protocol

READ_LIMIT = 65_536  # bytes of a script that are read
NAMES_LIMIT = 500  # names of a folder that are looked at
GIT_SECONDS = 0.6


class Surroundings(Protocol):
    """Where a command would run. Paths are absolute; nothing here changes anything."""

    @property
    def cwd(self) -> str: ...
    @property
    def project(self) -> str: ...
    @property
    def home(self) -> str: ...
    @property
    def conduit_home(self) -> str: ...

    def exists(self, path: str) -> bool: ...
    def is_dir(self, path: str) -> bool: ...
    def is_empty(self, path: str) -> bool:
        """An empty folder or a file of no bytes."""
        ...

    def tracked_clean(self, path: str) -> bool:
        """Whether git holds exactly what stands at ``path`` (a folder: all of it, nothing ignored inside)."""
        ...

    def dirty(self, folder: str) -> int | None:
        """How many files under ``folder`` differ from git's HEAD; None when git cannot say."""
        ...

    def git_alias(self, name: str, folder: str) -> str | None: ...
    def read_text(self, path: str) -> str | None:
        """The beginning of a local text file, or None."""
        ...

    def names(self, folder: str) -> list[str]:
        """What stands in a folder, sorted, a bounded number; nothing where it can't be read."""
        ...


@dataclass
class RealSurroundings:
    """Asks the file system and git, each question once."""

    cwd: str
    project: str = ""
    home: str = field(default_factory=lambda: str(Path.home()))
    conduit_home: str = field(default_factory=lambda: os.environ.get("CONDUIT_HOME", str(Path.home() / ".conduit")))
    _git: dict[tuple[str, ...], str | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.cwd = str(Path(self.cwd).absolute())
        self.project = self.project or self._top() or self.cwd

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_dir(self, path: str) -> bool:
        return Path(path).is_dir()

    def is_empty(self, path: str) -> bool:
        try:
            where = Path(path)
            return not any(where.iterdir()) if where.is_dir() else where.stat().st_size == 0
        except OSError:
            return False

    def tracked_clean(self, path: str) -> bool:
        folder = path if self.is_dir(path) else str(Path(path).parent)
        if not self.git_text(folder, "ls-files", "--", path):
            return False
        return self.git_text(folder, "status", "--porcelain", "--ignored", "--", path) == ""

    def dirty(self, folder: str) -> int | None:
        text = self.git_text(folder, "status", "--porcelain", "--untracked-files=no")
        return None if text is None else len(text.splitlines())

    def git_alias(self, name: str, folder: str) -> str | None:
        if not name.replace("-", "").isalnum():
            return None
        return self.git_text(folder, "config", "--get", f"alias.{name}") or None

    def read_text(self, path: str) -> str | None:
        try:
            if not Path(path).is_file():
                return None
            with Path(path).open("rb") as file:
                data = file.read(READ_LIMIT + 1)
        except OSError:
            return None
        if len(data) > READ_LIMIT or b"\0" in data:
            return None
        return data.decode("utf-8", "replace")

    def names(self, folder: str) -> list[str]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entry.name for entry in islice(entries, NAMES_LIMIT))
        except OSError:
            return []

    def git_text(self, folder: str, *args: str) -> str | None:
        """What git prints, or None; never runs the repository's own helpers, never takes its locks."""
        key = (folder, *args)
        if key not in self._git:
            self._git[key] = self._ask(folder, args)
        return self._git[key]

    def _top(self) -> str | None:
        return self._find_top(Path(self.cwd))

    @staticmethod
    def _find_top(start: Path) -> str | None:
        return next((str(folder) for folder in (start, *start.parents) if (folder / ".git").exists()), None)

    def _ask(self, folder: str, args: tuple[str, ...]) -> str | None:
        if not Path(folder).is_dir() or self._find_top(Path(folder)) is None:
            return None
        command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder, *args]
        env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_SECONDS, env=env, check=False)
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
            return None
        return done.stdout.rstrip("\n") if done.returncode in (0, 1) else None


@dataclass
class FakeSurroundings:
    """A world that a test writes down: ``files`` maps absolute paths to contents, folders are implied."""

    cwd: str = "/home/ada/app"
    project: str = "/home/ada/app"
    home: str = "/home/ada"
    conduit_home: str = "/home/ada/.conduit"
    files: dict[str, str] = field(default_factory=dict)
    clean: set[str] = field(default_factory=set)
    dirty_count: int | None = None
    aliases: dict[str, str] = field(default_factory=dict)

    def exists(self, path: str) -> bool:
        return path in self.files or self.is_dir(path)

    def is_dir(self, path: str) -> bool:
        return any(name.startswith(path.rstrip("/") + "/") for name in self.files)

    def is_empty(self, path: str) -> bool:
        return self.files.get(path) == ""

    def tracked_clean(self, path: str) -> bool:
        return path in self.clean

    def dirty(self, folder: str) -> int | None:
        return self.dirty_count

    def git_alias(self, name: str, folder: str) -> str | None:
        return self.aliases.get(name)

    def read_text(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, folder: str) -> list[str]:
        start = folder.rstrip("/") + "/"
        return sorted({name[len(start) :].split("/")[0] for name in self.files if name.startswith(start)})
