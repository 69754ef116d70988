"""Puts a backup in place as a root of its own, after every file was compared with its digest."""

import contextlib
import hashlib
import json
import os
import secrets
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.domain.errors import BadRequest, ConduitError, Conflict
from engine.domain.runs import Run, is_live
from engine.storage import disk
from engine.storage.backup import MANIFEST
from engine.storage.disk import guarded
from engine.storage.layout import Layout
from engine.storage.numbers import is_folder_of_run
from engine.storage.runs import Runs
from engine.storage.store import Store


@dataclass
class Restored:
    """What came back; ``notices`` say what a person should know, ``faults`` what is wrong with it."""

    files: int = 0
    projects: int = 0
    sessions: int = 0
    notices: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def restore(archive: Path, layout: Layout) -> Restored:
    """Unpack beside the root, verify, then rename into place. Conflict when something is there; nothing is replaced."""
    if layout.root.exists() and any(layout.root.iterdir()):
        raise Conflict(f"{layout.root} is not empty; restore into another folder (--home), or move it away first.")
    aside = layout.root.with_name(f".{layout.root.name}.restoring-{secrets.token_hex(4)}")
    report = Restored()
    try:
        with guarded(archive, "restore"):
            disk.make_folder(aside)
            _unpack(archive, aside, report)
        _check_manifest(archive, aside, report)
        _open(Layout(aside), report)
        with guarded(layout.root, "restore"):
            if layout.root.exists():
                layout.root.rmdir()
            disk.make_folder(layout.root.parent)
            disk.move(aside, layout.root)
    finally:
        if aside.exists():
            disk.remove_tree(aside)
    return report


def _unpack(archive: Path, aside: Path, report: Restored) -> None:
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for entry in tar:
                try:
                    tar.extract(entry, aside, filter="data")
                except tarfile.FilterError as fault:  # a link that leads outside
                    report.notices.append(f"{entry.name} was left out: {fault}.")
                    continue
                if entry.isfile():
                    (aside / entry.name).chmod(entry.mode)
                    report.files += 1
    except (tarfile.TarError, EOFError, ValueError) as fault:
        raise BadRequest(f"{archive} is not a whole backup: {fault}. Use another one.") from fault


def _check_manifest(archive: Path, aside: Path, report: Restored) -> None:
    try:
        manifest: dict[str, Any] = json.loads((aside / MANIFEST).read_bytes())
        files = dict(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadRequest(f"{archive} is not a whole backup: it has no list of its files. Use another one.") from fault
    (aside / MANIFEST).unlink()
    report.files -= 1
    for name, told in files.items():
        path = aside / name
        if not path.is_file() or _digest(path) != told["sha256"]:
            raise BadRequest(f"{archive} is damaged: {name} is not what was backed up. Use another backup.")
    for path in aside.rglob("*"):
        if path.is_dir():
            disk.sync_folder(path)
        elif path.is_file() and not path.is_symlink():
            _sync(path)
    disk.sync_folder(aside)


def _open(layout: Layout, report: Restored) -> None:
    """As an engine would, and further: every session, whatever its state, is compared with its journal."""
    store, runs = Store(layout), Runs(layout)
    report.notices += store.recover()
    report.notices += runs.recover()
    report.projects = len(store.list_files())
    present = sum(1 for entry in layout.projects.iterdir() if not entry.name.startswith(".") and entry.is_dir())
    if present != report.projects:
        report.faults.append(f"{present - report.projects} projects can't be read.")
    for folder in sorted(entry for entry in layout.runs.iterdir() if is_folder_of_run(entry)):
        try:
            root = runs.catch_up(runs.get(folder.name))
            for run in (root, *runs.children(root)):
                report.faults += runs.verify(_without_process(runs, runs.catch_up(run)))
            report.sessions += 1
        except ConduitError as fault:
            report.faults.append(str(fault))


def _without_process(runs: Runs, run: Run) -> Run:
    """Its process, if it still runs, belongs to the root that was backed up: no engine may look for it from here."""
    if not is_live(run.state):
        return run
    return runs.update(run, state="process_lost", reason="restored from a backup")


def _digest(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def _sync(path: Path) -> None:
    with contextlib.suppress(PermissionError):  # a file that its owner may not read
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            disk.sync(fd)
        finally:
            os.close(fd)
