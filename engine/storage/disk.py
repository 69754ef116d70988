"""The few system calls that durability rests on, and what their faults mean to a person."""

import errno
import fcntl
import logging
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.domain.errors import NotFound, Unavailable

log = logging.getLogger(__name__)

_WHY = {
    errno.ENOSPC: "the disk is full; make room and try again",
    errno.EDQUOT: "your disk quota is used up; make room and try again",
    errno.EROFS: "the file system is read-only; make it writable and try again",
    errno.EACCES: "permission is denied; check who owns it and its mode",
    errno.EPERM: "the operation is not permitted; check who owns it and its mode",
    errno.EIO: "the disk reports an input/output error; check the disk",
    errno.EISDIR: "it is a folder; move it away",
    errno.ELOOP: "it is a symbolic link; move it away",
    errno.EMFILE: "too many files are open; close some programs and try again",
    errno.ENFILE: "too many files are open; close some programs and try again",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}


def fault_sentence(fault: OSError, path: Path, doing: str) -> str:
    """One sentence: what could not be done, to which file, why, and what to do."""
    why = _WHY.get(fault.errno or 0) or (fault.strerror or str(fault))
    return f"Could not {doing} {path}: {why}."


@contextmanager
def guarded(path: Path, doing: str) -> Iterator[None]:
    """Turn an OSError into a sentence: ``NotFound`` when the file or its folder is gone, else ``Unavailable``."""
    try:
        yield
    except FileNotFoundError as fault:
        raise NotFound(f"Could not {doing} {path}: it does not exist (any more).") from fault
    except OSError as fault:
        raise Unavailable(fault_sentence(fault, path, doing)) from fault


def sync(fd: int) -> None:
    """Make a file or folder durable. macOS needs its own call to get past the drive's cache."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fsync(fd)


def sync_folder(folder: Path) -> None:
    """Make names that were created, renamed or removed in ``folder`` durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte: one call as a rule, more when the kernel took less."""
    rest = memoryview(data)
    while rest:
        taken = os.write(fd, rest)
        if taken <= 0:
            raise OSError(errno.EIO, "the disk took nothing")
        rest = rest[taken:]


def replace(path: Path, data: bytes, mode: int, keep_copy: bool) -> None:
    """Put ``data`` in place of ``path`` in one step; the version before stays beside it as ``.bak``. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        if keep_copy:
            _keep_copy(path)
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def make_folder(folder: Path, mode: int = 0o700) -> None:
    """Create ``folder`` and what is missing above it, durably."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)


def move(source: Path, target: Path) -> None:
    """Rename a file or folder, durably on both sides. Raises OSError."""
    source.rename(target)
    sync_folder(target.parent)
    if source.parent != target.parent:
        sync_folder(source.parent)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, durably; a symbolic link is removed, not what it points to."""
    try:
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except FileNotFoundError:
        if folder.exists():  # something in it went away meanwhile: once more
            shutil.rmtree(folder)
    if folder.parent.exists():
        sync_folder(folder.parent)


def _keep_copy(path: Path) -> None:
    """A hard link: costs no data. Without it a file that the disk spoils has nothing to be restored from."""
    copy = path.with_name(f"{path.name}.bak")
    try:
        with suppress(FileNotFoundError):
            copy.unlink()
        with suppress(FileNotFoundError):
            os.link(path, copy)
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
            raise
        log.debug("no copy is kept beside %s: %s", path, fault)  # a file system without hard links
