"""Removing a project: it disappears in one rename; what follows can be finished after a crash.

The rename also says whether the data goes, so that nothing has to be written: a full disk can be made room on.
"""

from engine.domain.errors import ConduitError
from engine.domain.projects import Project
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_json
from engine.storage.layout import Layout

_KEEPING, _PURGING, _NEW = ".deleted-", ".purged-", ".new-"


def remove_project(layout: Layout, project: Project, remove_data: bool) -> None:
    """Remove a project's folder, and its shared content, wiki and documents when asked. The caller holds its lock."""
    folder = layout.project(project.id)
    gone = f"{_PURGING if remove_data else _KEEPING}{project.id}"
    with guarded(folder, "delete"):
        disk.move(folder, layout.projects / gone)
    _finish(layout, gone)


def finish_removals(layout: Layout) -> list[str]:
    """After a crash: finish deletions, drop projects that were never made; one sentence each."""
    notices = []
    for entry in sorted(layout.projects.iterdir()):
        if entry.name.startswith((_KEEPING, _PURGING)):
            _finish(layout, entry.name)
            notices.append(f"Finished deleting the project {entry.name.partition('-')[2]}.")
        elif entry.name.startswith(_NEW):
            with guarded(entry, "delete"):
                disk.remove_tree(entry)
            notices.append(f"Removed the project {entry.name.removeprefix(_NEW)}, which was never finished.")
    return notices


def _finish(layout: Layout, name: str) -> None:
    gone = layout.projects / name
    with guarded(gone, "delete"):
        if name.startswith(_PURGING) and (project := _name(layout, name)) is not None:
            documents = layout.workspace(name.removeprefix(_PURGING))
            for data in (layout.shared(project), layout.wiki_of(project), documents):
                disk.remove_tree(data)
        disk.remove_tree(gone)


def _name(layout: Layout, folder: str) -> str | None:
    """The project's name; None once its record is gone too, which is after the data went."""
    try:
        name = read_json(layout.projects / folder / "project.json").value["project"]["name"]
    except (FileNotFoundError, KeyError, TypeError, ConduitError):
        return None
    return name if isinstance(name, str) else None
