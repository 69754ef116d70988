"""A consistent copy of a root that is in use, as one archive: whole records, whole lines, and a digest of each file."""

import contextlib
import hashlib
import io
import json
import os
import secrets
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from engine.domain.errors import BadRequest, NotFound
from engine.ports.clock import Clock, stamp
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.layout import Layout
from engine.storage.locks import locked

MANIFEST = "manifest.json"
_BLOCK = 1 << 20
# Made anew by the next engine, or meaningless without the processes that hold them.
_LEFT_OUT = frozenset({"engine.json", "tokens.json", "holder.lock"})


@dataclass
class Report:
    """What a backup holds; ``notices`` name what was left out, and why."""

    files: int = 0
    size: int = 0
    notices: list[str] = field(default_factory=list)


def backup(layout: Layout, target: Path, clock: Clock) -> Report:
    """Write the archive (0600) in one step. BadRequest where it must not go; what was there before is replaced."""
    if target.resolve().is_relative_to(layout.root.resolve()):
        raise BadRequest(f"{target} lies inside the data folder; write the backup somewhere else.")
    if not layout.root.is_dir():
        raise NotFound(f"There is no data folder {layout.root}.")
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with guarded(target, "write"), _created(aside) as stream:
            with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=3) as tar:
                report = _Copy(layout, tar).whole(stamp(clock))
            stream.flush()
            disk.sync(stream.fileno())
        with guarded(target, "write"):
            disk.move(aside, target)
    finally:
        aside.unlink(missing_ok=True)
    return report


@contextlib.contextmanager
def _created(path: Path) -> Iterator[BinaryIO]:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as stream:
        yield stream


class _Copy:
    """Copies what belongs together under the lock that keeps it together; long logs are only measured under it."""

    def __init__(self, layout: Layout, tar: tarfile.TarFile) -> None:
        self._layout = layout
        self._tar = tar
        self._report = Report()
        self._digests: dict[str, dict[str, Any]] = {}

    def whole(self, now: str) -> Report:
        root = self._layout.root
        for path in sorted(root.iterdir()):
            if path.is_file():
                self._loose(path)
        self._tree(self._layout.config)
        names = self._projects()
        for path in sorted(self._layout.runs.glob("*")):
            if (path / "run.json").exists():
                self._locked_folder(path, path / "run.json")
        for folder in ("workspaces", "agents/work", "brain-private", "agents/tombstones", "agents/provenance"):
            self._tree(root / folder)
        self._loose(self._layout.workspace_profiles)
        self._named_folders(names)
        # Last: no session in here has a higher number than this.
        self._loose(self._layout.session_number)
        self._loose(self._layout.session_index)
        manifest = {"version": 1, "createdAt": now, "files": self._digests}
        self._put(MANIFEST, json.dumps(manifest).encode(), 0o600)
        return self._report

    def _projects(self) -> set[str]:
        with locked(self._layout.project_names):
            for path in sorted(self._layout.projects.glob("p*")):
                if (path / "project.json").exists():
                    self._locked_folder(path, path / "project.json")
            return self._names()

    def _named_folders(self, names: set[str]) -> None:
        """Folders named after projects; copied again, a few times, when a project was renamed meanwhile."""
        self._tree(self._layout.shared_content)
        self._tree(self._layout.wiki)
        if self._names() != names:
            self._report.notices.append(
                "A project was made, renamed or deleted during the backup: check its shared folder after a restore."
            )

    def _names(self) -> set[str]:
        return {entry.name for entry in self._layout.shared_content.iterdir()}

    def _locked_folder(self, folder: Path, record: Path) -> None:
        try:
            with locked(record):
                parts = [(path, *self._measure(path)) for path in _files(folder)]
        except NotFound:
            return  # deleted meanwhile
        for path, size, data, mode in parts:
            if data is not None:
                self._put(self._name(path), data, mode)
            else:
                self._stream(path, size, mode)

    def _measure(self, path: Path) -> tuple[int, bytes | None, int]:
        """(bytes to take, the bytes themselves where they may be replaced, mode)."""
        try:
            status = path.stat()
            if path.suffix == ".jsonl":
                return _whole_lines(path), None, status.st_mode
            if path.parent.name == "output":  # a terminal's recording: only ever grows
                return status.st_size, None, status.st_mode
            return status.st_size, path.read_bytes(), status.st_mode
        except FileNotFoundError:
            return 0, None, 0o600

    def _tree(self, folder: Path) -> None:
        if folder.is_dir():
            for path in _files(folder):
                self._loose(path)

    def _loose(self, path: Path) -> None:
        if path.name in _LEFT_OUT or path.name.endswith((".lock", ".tmp")):
            return
        try:
            if path.is_symlink():
                self._link(path)
            elif path.is_file():
                status = path.stat()
                size = _whole_lines(path) if path.suffix == ".jsonl" else status.st_size
                self._stream(path, size, status.st_mode)
        except FileNotFoundError:
            return  # removed meanwhile
        except OSError as fault:
            self._report.notices.append(disk.fault_sentence(fault, path, "read"))

    def _link(self, path: Path) -> None:
        entry = tarfile.TarInfo(self._name(path))
        entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
        self._tar.addfile(entry)

    def _stream(self, path: Path, size: int, mode: int) -> None:
        try:
            with path.open("rb") as stream:
                data = stream.read(size) if size <= _BLOCK else None
                if data is not None:
                    self._put(self._name(path), data, mode)
                    return
                counted = _Counted(stream)
                self._add(self._name(path), size, mode, counted)
                self._digests[self._name(path)] = {"size": size, "sha256": counted.digest.hexdigest()}
        except FileNotFoundError:
            return

    def _put(self, name: str, data: bytes, mode: int) -> None:
        self._add(name, len(data), mode, io.BytesIO(data))
        if name != MANIFEST:
            self._digests[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}

    def _add(self, name: str, size: int, mode: int, stream: Any) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = size, stat.S_IMODE(mode)
        self._tar.addfile(entry, stream)
        self._report.files += 1
        self._report.size += size

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._layout.root))


class _Counted:
    """A stream that digests what is read from it; a file that shrank is filled up, and so fails its check."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        return data


def _files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*")):
        plain = path.is_symlink() or path.is_file()
        if plain and path.name not in _LEFT_OUT and not path.name.endswith((".lock", ".tmp", ".sock")):
            found.append(path)
    return found


def _whole_lines(path: Path) -> int:
    """Up to the last newline; what is behind it is being written."""
    with path.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        position = end
        while position > 0:
            step = min(65_536, position)
            position -= step
            stream.seek(position)
            found = stream.read(step).rfind(b"\n")
            if found >= 0:
                return position + found + 1
    return 0
