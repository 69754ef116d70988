"""Renaming a project: its two folders and its record move together, or not at all."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.errors import ConduitError, Conflict
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_passing, remove_passing, write_json
from engine.storage.layout import Layout

if TYPE_CHECKING:
    from engine.storage.store import Store

log = logging.getLogger(__name__)


def rename(store: "Store", project_id: str, name: str) -> None:
    """Write the intent, move the folders, write the name, drop the intent. The caller holds both locks."""
    old = store.project_file(project_id).project.name
    moves = _moves(store.layout, old, name)
    for source, target in moves:
        _refuse_occupied(source, target)
    journal = store.layout.rename_journal(project_id)
    write_json(journal, {"from": old, "to": name})
    try:
        _forward(store, project_id, name, moves)
    except ConduitError:
        _back(moves)
        remove_passing(journal)
        raise
    remove_passing(journal)


def finish_rename(store: "Store", project_id: str) -> list[str]:
    """After a crash: finish a rename that had begun, or undo it when it can't be; a sentence when there was one."""
    journal = store.layout.rename_journal(project_id)
    try:
        intent = read_passing(journal)
    except FileNotFoundError:
        remove_passing(journal)  # what a writer that died left of it: that rename never began
        return []
    old, new = str(intent.get("from", "")), str(intent.get("to", ""))
    if store.project_file(project_id).project.name not in (old, new):  # renamed since: this one is long over
        remove_passing(journal)
        return []
    moves = _moves(store.layout, old, new)
    try:
        _forward(store, project_id, new, moves)
        done = f"Finished renaming {old} to {new}."
    except ConduitError as fault:
        log.warning("the rename of %s to %s is undone: %s", old, new, fault)
        _back(moves)
        store.mutate_project(project_id, lambda file: file.with_project(replace(file.project, name=old)))
        done = f"Undid renaming {old} to {new}: {fault}"
    remove_passing(journal)
    return [done]


def _moves(layout: Layout, old: str, new: str) -> list[tuple[Path, Path]]:
    pairs = [(layout.shared(old), layout.shared(new)), (layout.wiki_of(old), layout.wiki_of(new))]
    return [(source, target) for source, target in pairs if source != target]


def _refuse_occupied(source: Path, target: Path) -> None:
    """A folder that a deleted project left is somebody's data: it is never merged into another's."""
    if not target.exists() or (source.exists() and source.samefile(target)):  # only its case changes, on such a disk
        return
    if target.is_dir() and not any(target.iterdir()):
        with guarded(target, "remove the empty folder"):
            target.rmdir()
        return
    raise Conflict(f"The folder {target} exists already; move it away, or choose another name.")


def _forward(store: "Store", project_id: str, name: str, moves: list[tuple[Path, Path]]) -> None:
    for source, target in moves:
        if source.exists():
            _refuse_occupied(source, target)
            with guarded(source, "rename"):
                disk.move(source, target)
    store.mutate_project(project_id, lambda file: file.with_project(replace(file.project, name=name)))


def _back(moves: list[tuple[Path, Path]]) -> None:
    for source, target in reversed(moves):
        if target.exists() and not source.exists():
            with guarded(target, "rename"):
                disk.move(target, source)
