"""Which profile each project works by: ``agents/workspace_profiles.json`` (a project is a workspace)."""

from pathlib import Path

from engine.domain.errors import NotFound
from engine.storage.files import locked, read_json, write_json
from engine.storage.layout import Layout
from engine.storage.names import validate_id

STANDARD = "standard"


def profile_of(layout: Layout, project_id: str) -> str:
    """The project's choice; ``standard`` when it made none."""
    chosen = _read(layout.workspace_profiles).get(project_id)
    return chosen if isinstance(chosen, str) else STANDARD


def choose(layout: Layout, project_id: str, profile: str) -> None:
    """Keep the choice. NotFound names the profiles that there are."""
    known = sorted(path.stem for path in layout.profiles.glob("*.yaml"))
    if profile not in known:
        raise NotFound(f"There is no profile {profile}; there are: {', '.join(known) or 'none'}.")
    path = layout.workspace_profiles
    with locked(path):
        write_json(path, {**_read(path), validate_id(project_id): profile})


def forget(layout: Layout, project_id: str) -> None:
    """The project was deleted."""
    path = layout.workspace_profiles
    with locked(path):
        chosen = _read(path)
        if chosen.pop(project_id, None) is not None:
            write_json(path, chosen)


def _read(path: Path) -> dict[str, object]:
    try:
        return dict(read_json(path).value)
    except FileNotFoundError:
        return {}
