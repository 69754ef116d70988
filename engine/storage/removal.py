"""Removing a project: it disappears in one rename; what follows can be finished after a crash."""

from engine.domain.projects import Project
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_json, write_json
from engine.storage.layout import Layout
from engine.storage.names import validate_id

_DELETED, _NEW = ".deleted-", ".new-"
_INTENT = "delete.json"


def remove_project(layout: Layout, project: Project, remove_data: bool) -> None:
    """Remove a project's folder, and its shared content and wiki when asked. The caller holds its lock."""
    folder = layout.project(project.id)
    write_json(folder / _INTENT, {"name": project.name, "removeData": remove_data})
    gone = layout.projects / f"{_DELETED}{project.id}"
    with guarded(folder, "delete"):
        disk.move(folder, gone)
    _finish(layout, gone.name)


def finish_removals(layout: Layout) -> list[str]:
    """After a crash: finish deletions that had begun, drop projects that were never made; one sentence each."""
    notices = []
    for entry in sorted(layout.projects.iterdir()):
        if entry.name.startswith(_DELETED):
            _finish(layout, entry.name)
            notices.append(f"Finished deleting the project {entry.name.removeprefix(_DELETED)}.")
        elif entry.name.startswith(_NEW):
            with guarded(entry, "delete"):
                disk.remove_tree(entry)
            notices.append(f"Removed the project {entry.name.removeprefix(_NEW)}, which was never finished.")
        elif (intent := entry / _INTENT).exists():  # it had not disappeared yet: it stays
            with guarded(intent, "delete"):
                intent.unlink()
            notices.append(f"The deletion of project {entry.name} was cut off before it began; the project is kept.")
    return notices


def _finish(layout: Layout, name: str) -> None:
    gone = layout.projects / name
    validate_id(name.removeprefix(_DELETED))
    with guarded(gone, "delete"):
        try:
            intent = read_json(gone / _INTENT).value
        except FileNotFoundError:
            intent = {}
        if intent.get("removeData") is True and isinstance(project := intent.get("name"), str):
            for data in (layout.shared(project), layout.wiki_of(project)):
                disk.remove_tree(data)
        disk.remove_tree(gone)
