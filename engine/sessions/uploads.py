"""Files that people attached to a session: ``uploads/<upload_id>/<name>``."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from engine.domain.errors import BadRequest
from engine.domain.runs import Run
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.layout import Layout
from engine.storage.locks import locked
from engine.storage.names import folder_name

LARGEST = 50_000_000  # bytes of one file


@dataclass(frozen=True, slots=True)
class Upload:
    """One attached file; ``path`` is absolute, and what an agent is told."""

    id: str
    name: str
    size: int
    path: str


def attach(layout: Layout, run: Run, name: str, data: bytes) -> Upload:
    """Keep a file with its session. BadRequest for a name that can't be one; Unavailable when the disk refuses."""
    if len(data) > LARGEST:
        raise BadRequest(f"{name} has {len(data):,} bytes, more than {LARGEST:,}.")
    safe = folder_name(name)
    root = run.root_id or run.id
    upload_id = f"u-{secrets.token_hex(5)}"
    aside, final = layout.uploads(root) / f".new-{upload_id}", layout.uploads(root) / upload_id
    with locked(layout.run_json(root)), guarded(final, "write"):  # NotFound once the session is deleted
        disk.make_folder(aside)
        try:
            disk.replace(aside / safe, data, 0o600, keep_copy=False)
            disk.move(aside, final)
        except OSError:
            disk.remove_tree(aside)
            raise
    return Upload(upload_id, safe, len(data), str(final / safe))


def uploads(layout: Layout, run: Run) -> list[Upload]:
    """What was attached, by id."""
    folder = layout.uploads(run.root_id or run.id)
    if not folder.is_dir():
        return []
    files = [path for entry in sorted(folder.iterdir()) if not entry.name.startswith(".") for path in _files(entry)]
    return [Upload(path.parent.name, path.name, path.stat().st_size, str(path)) for path in files]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
