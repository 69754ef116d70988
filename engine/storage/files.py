"""JSON files: replaced whole and durably, and read with recovery when something spoiled them."""

import json
import logging
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.errors import ConduitError, Unavailable
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.lines import (
    Appended,
    Lines,
    append_jsonl,
    dump,
    iter_jsonl,
    parse_object,
    repair_tail,
    tail_jsonl,
)
from engine.storage.locks import locked

__all__ = [
    "Appended",
    "Lines",
    "Loaded",
    "append_jsonl",
    "dump",
    "guarded",
    "iter_jsonl",
    "locked",
    "read_json",
    "read_passing",
    "remove_leftovers",
    "remove_passing",
    "repair_tail",
    "tail_jsonl",
    "write_json",
    "write_text",
]

log = logging.getLogger(__name__)

_KEPT_BROKEN = 3  # spoiled versions of one file that stay beside it


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file holds, and a sentence when it had to be recovered first."""

    value: dict[str, Any]
    notice: str | None = None


def write_json(path: Path, value: dict[str, Any], *, private: bool = False) -> None:
    """Replace ``path`` in one durable step. Its folder has to exist: NotFound otherwise, and nothing is created.

    A private file is 0600 from its first byte on. Unavailable when the disk refuses; the old content is intact then.
    """
    data = dump_pretty(value)
    with guarded(path, "write"):
        disk.replace(path, data, 0o600 if private else 0o644, keep_copy=True)


def write_text(path: Path, text: str) -> None:
    """Replace a small text file in one durable step; same faults as :func:`write_json`."""
    with guarded(path, "write"):
        disk.replace(path, text.encode(), 0o644, keep_copy=False)


def dump_pretty(value: dict[str, Any]) -> bytes:
    """JSON as ``cat`` shows it best."""
    try:
        return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(value, indent=1) + "\n").encode()


def read_json(path: Path) -> Loaded:
    """Read an object. FileNotFoundError when there is none and never was; Unavailable when it can't be saved.

    A spoiled or missing file is recovered from the newest readable version beside it, the spoiled one is set aside,
    and ``notice`` says so.
    """
    try:
        return Loaded(_read(path))
    except FileNotFoundError:
        if not _siblings(path):
            raise
    except ValueError as fault:
        log.warning("%s is spoiled: %s", path, fault)
    return _recover(path)


def read_passing(path: Path) -> dict[str, Any]:
    """Read a file whose absence says something: FileNotFoundError, whatever a writer that died left beside it.

    Unavailable when it is there and can't be read: what it said is not guessed.
    """
    try:
        return _read(path)
    except ValueError as fault:
        raise Unavailable(f"{path} could not be read ({fault}); mend it, or move it away, and try again.") from fault


def remove_passing(path: Path) -> bool:
    """Remove such a file durably, first what could be taken for it; whether it was there. Its writers are locked out,
    or there is only one."""
    with guarded(path, "remove"):
        there, siblings = path.exists(), _siblings(path)
        for version in [*siblings, path] if there else siblings:
            version.unlink(missing_ok=True)
        if there or siblings:
            disk.sync_folder(path.parent)
    return there


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of writers that died, once ``path`` itself reads well."""
    _read(path)
    for sibling in _siblings(path):
        if sibling.name.startswith(f".{path.name}.") and sibling.suffix == ".tmp":
            sibling.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        return parse_object(path.read_bytes())
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise Unavailable(disk.fault_sentence(fault, path, "read")) from fault


def _siblings(path: Path) -> list[Path]:
    """Versions of ``path`` that a writer (ours or another) left beside it, newest first."""
    try:
        entries = [entry for entry in path.parent.iterdir() if _is_version(entry.name, path.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    dated = [(when, entry.suffix != ".bak", entry) for entry in entries if (when := _written(entry)) is not None]
    return [entry for _, _, entry in sorted(dated, reverse=True)]


def _written(path: Path) -> int | None:
    """When a plain file was last written, in nanoseconds; None when it is none, or gone by now."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns if stat.S_ISREG(status.st_mode) else None


def _is_version(name: str, of: str) -> bool:
    if not name.startswith((f"{of}.", f".{of}.", f"{of}~")):
        return False
    return not name.endswith((".lock", ".torn")) and ".broken-" not in name


def _recover(path: Path) -> Loaded:
    with locked(path):
        try:
            return Loaded(_read(path))  # a writer was just done with it
        except FileNotFoundError:
            state = "was missing"
        except ValueError as fault:
            state = f"could not be read ({fault})"
        source, value = _newest_readable(path, state)
        aside = _restore(path, value)
    notice = f"{path} {state}; it was restored from {source.name}{aside}."
    log.warning("%s", notice)
    return Loaded(value, notice)


def _newest_readable(path: Path, state: str) -> tuple[Path, dict[str, Any]]:
    for sibling in _siblings(path):
        try:
            return sibling, _read(sibling)
        except (ValueError, FileNotFoundError):
            continue
    raise Unavailable(f"{path} {state}, and no good copy lies beside it; mend it, or move it away, and try again.")


def _restore(path: Path, value: dict[str, Any]) -> str:
    """Put the recovered version in place; returns what to add to the notice. A read-only disk does not stop reading."""
    try:
        with guarded(path, "restore"):
            aside = _set_aside(path)
            disk.replace(path, dump_pretty(value), _mode(aside), keep_copy=False)
    except ConduitError as fault:
        return f" for reading only ({fault})"
    return f", and the spoiled file is kept as {aside.name}" if aside else ""


def _mode(aside: Path | None) -> int:
    return (aside.stat().st_mode & 0o777) if aside else 0o600


def _set_aside(path: Path) -> Path | None:
    if not path.exists():
        return None
    kept = sorted(path.parent.glob(f"{_escaped(path.name)}.broken-*"), key=lambda p: p.stat().st_mtime_ns)
    number = 1 + max((int(p.suffix[8:]) for p in kept if p.suffix[8:].isdigit()), default=0)
    aside = path.with_name(f"{path.name}.broken-{number}")
    try:
        os.link(path, aside)  # the name itself never goes away, not for a moment
    except OSError:  # a file system without hard links
        path.replace(aside)
    for old in kept[: max(0, len(kept) + 1 - _KEPT_BROKEN)]:  # they must not pile up
        old.unlink()
    return aside


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
