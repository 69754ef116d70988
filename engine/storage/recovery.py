"""What is looked at in each project at start."""

from typing import TYPE_CHECKING

from engine.storage import renames
from engine.storage.files import locked, read_json, remove_leftovers, repair_tail

if TYPE_CHECKING:
    from engine.storage.store import Store


def recover_project(store: "Store", project_id: str) -> list[str]:
    """Mend files, set torn tails aside, finish renames and decided plans; one sentence for each."""
    layout = store.layout
    path = layout.project_json(project_id)
    notices: list[str | None] = []
    with locked(layout.project_names), locked(path):
        try:
            notices.append(read_json(path).notice)
        except FileNotFoundError:
            return [f"The folder {path.parent} holds no project; look into it, and move it away."]
        remove_leftovers(path)
        notices += [repair_tail(log) for log in (layout.groupchat(project_id), layout.audit(project_id))]
        notices += renames.finish_rename(store, project_id)
        notices += store.finish_decided_plans(project_id)
    return [notice for notice in notices if notice]
