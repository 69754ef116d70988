"""A delimited section in a file that is the user's: put in and taken out, every other byte as it was.

Everything happens in one opened folder, by names without a slash: no link, planted before or since, leads out of it.
"""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.storage import disk

BEGIN = b"<!-- conduit begin: written by Conduit while its agents run here; removed afterwards -->"
END = b"<!-- conduit end -->"
_BEGIN, _END = re.escape(BEGIN), re.escape(END)
_SECTION = re.compile(rb"\n?" + _BEGIN + rb"(?:(?!" + _BEGIN + rb").)*?" + _END + rb"\n?", re.DOTALL)
_LIMIT = 4 * 1024 * 1024  # bytes; a larger file holds no instructions
_TRIES = 5  # looks at a file that others write at the same time


def with_section(data: bytes, text: str) -> bytes:
    """The file's bytes with one section at the end; the newline before it belongs to it."""
    body = text.replace(BEGIN.decode(), "").replace(END.decode(), "").strip().encode(errors="replace")
    return without_section(data) + b"\n" + BEGIN + b"\n" + body + b"\n" + END + b"\n"


def without_section(data: bytes) -> bytes:
    """The file's bytes without our section; unchanged when it has none, or one whose end somebody deleted."""
    return _SECTION.sub(b"", data)


def put(folder: Path, name: str, text: str) -> str | None:
    """Write the section into ``folder/name``, made where it is missing; a sentence when it can't be done safely."""
    return _rewrite(folder, name, lambda data: with_section(data or b"", text))


def remove(folder: Path, name: str, *, made: bool) -> str | None:
    """Take the section out. A file that we ``made`` goes with it when nothing else is left in it."""

    def rest(data: bytes | None) -> bytes | None:
        left = without_section(data) if data is not None else None
        return None if made and left == b"" and data else left

    return _rewrite(folder, name, rest)


def exists(folder: Path, name: str) -> bool:
    """Whether there is anything of that name, a dangling link included."""
    return os.path.lexists(folder / name)


def _rewrite(folder: Path, name: str, change: Callable[[bytes | None], bytes | None]) -> str | None:
    try:
        with _opened(folder) as directory:
            for _ in range(_TRIES):
                if _changed(directory, _followed(directory, name), change):
                    return None
    except FileNotFoundError:
        return f"{folder} is not there any more."
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        return f"Conduit leaves {folder / name} alone: {why}."
    return f"Conduit leaves {folder / name} alone: it is being written all the time."


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield directory
    finally:
        os.close(directory)


def _followed(directory: int, name: str) -> str:
    """The name that a link stands for, where that is a plain file of the same folder; ValueError for any other."""
    try:
        target = os.readlink(name, dir_fd=directory)
    except FileNotFoundError:
        return name
    except OSError:  # no link
        return name
    target = target.removeprefix("./")
    if "/" in target or target in ("", ".", ".."):
        raise ValueError("it is a link out of its folder")
    return target


def _changed(directory: int, name: str, change: Callable[[bytes | None], bytes | None]) -> bool:
    """One try; False when somebody else wrote the file in between."""
    before, data = _read(directory, name)
    after = change(data)
    if after == data:
        return True
    if after is None:
        if not _same(before, _look(directory, name)):
            return False
        os.unlink(name, dir_fd=directory)
        os.fsync(directory)
        return True
    return _replaced(directory, name, after, before)


def _read(directory: int, name: str) -> tuple[os.stat_result | None, bytes | None]:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return None, None
    with os.fdopen(fd, "rb") as stream:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LIMIT:
            raise ValueError("it is not a plain file of instructions")
        return found, stream.read()


def _replaced(directory: int, name: str, data: bytes, before: os.stat_result | None) -> bool:
    temporary = f".{name}.{secrets.token_hex(6)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o644, dir_fd=directory)
    try:
        try:
            disk.write_all(fd, data)
            if before is not None:
                os.fchmod(fd, stat.S_IMODE(before.st_mode))
            disk.sync(fd)
        finally:
            os.close(fd)
        if not _same(before, _look(directory, name)):
            return False
        if before is None:
            os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)  # fails where one appeared meanwhile
        else:
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)
        return True
    except FileExistsError:
        return False
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory)


def _look(directory: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _same(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.st_ino, one.st_size, one.st_mtime_ns) == (other.st_ino, other.st_size, other.st_mtime_ns)
