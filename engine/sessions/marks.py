"""What stands beside a session's record while it holds: archived, who halted it, when it resumes by itself."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.domain.errors import BadRequest, ConduitError
from engine.ports.clock import Clock, stamp
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import read_passing, remove_passing, write_json
from engine.storage.layout import Layout

Halting = Literal["halt", "cancel"]


class Marks:
    """Small files, each written whole; all of sessions, so ids here are those of root runs."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock

    def archive(self, run_id: str, via: str) -> None:
        write_json(self._layout.archived(run_id), {"at": stamp(self._clock), "via": via})

    def unarchive(self, run_id: str) -> None:
        remove_passing(self._layout.archived(run_id))

    def archived(self, run_id: str) -> bool:
        return self._layout.archived(run_id).exists()

    def note_halt(self, run_id: str, what: Halting, via: str) -> None:
        """Who last stopped or cancelled it; there before anything is ended."""
        write_json(self._layout.halt(run_id), {"what": what, "at": stamp(self._clock), "via": via})

    def halted_by(self, run_id: str) -> dict[str, Any] | None:
        return _read(self._layout.halt(run_id))

    def arm(self, run_id: str, at: datetime, via: str) -> str:
        """Resume by itself at a wall time; returns it as kept. BadRequest for one without a time zone, or past."""
        if at.tzinfo is None:
            raise BadRequest("The time to resume at needs a time zone, such as 2026-01-31T08:00:00+01:00.")
        if at <= self._clock.wall():
            raise BadRequest(f"{at.isoformat()} has passed; name a later time, or resume it now.")
        when = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        with guarded(self._layout.armed, "create"):
            disk.make_folder(self._layout.armed)
            (self._layout.armed / run_id).touch(0o600)
            disk.sync_folder(self._layout.armed)
        write_json(self._layout.auto_resume(run_id), {"at": when, "armedAt": stamp(self._clock), "via": via})
        return when

    def disarm(self, run_id: str) -> bool:
        """Take the mark away, durably; false when there was none, so that nobody fires twice."""
        there = remove_passing(self._layout.auto_resume(run_id))
        (self._layout.armed / run_id).unlink(missing_ok=True)
        return there

    def armed_at(self, run_id: str) -> datetime | None:
        raw = _read(self._layout.auto_resume(run_id))
        if raw is None:
            return None
        try:
            at = datetime.fromisoformat(str(raw.get("at")))
        except ValueError:
            return None
        return at if at.tzinfo is not None else None

    def armed(self) -> dict[str, datetime]:
        """Every session that is to resume by itself, from the folder of armed ones: no scan of all sessions."""
        names = [entry.name for entry in self._layout.armed.iterdir()] if self._layout.armed.is_dir() else []
        found = {name: self.armed_at(name) for name in sorted(names) if not name.startswith(".")}
        return {name: at for name, at in found.items() if at is not None}


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return read_passing(path)
    except (FileNotFoundError, ConduitError):  # a mark that can't be read holds nothing up
        return None
