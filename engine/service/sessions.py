"""Sessions: every life of every agent, by number or id; resumed, halted, cancelled, archived, deleted."""

import asyncio
import re
from datetime import datetime

from engine.domain import views
from engine.domain.errors import BadRequest
from engine.domain.gates import Via
from engine.domain.runs import Run
from engine.domain.wire import RunView, SessionView, UploadView
from engine.service.office import Office
from engine.sessions.uploads import attach, uploads
from engine.storage.layout import validate_id

_NUMBER = re.compile(r"^[sS]-?(\d{1,9})$")


class SessionService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def sessions(self, *, limit: int = 50, archived: bool = False) -> list[RunView]:
        """The latest ones, newest first; archived ones only when asked for."""
        if not 1 <= limit <= 1_000:
            raise BadRequest("limit must be between 1 and 1000.")
        return [views.run_view(run) for run in await asyncio.to_thread(self._latest, limit, archived)]

    async def session(self, *, session: str) -> SessionView:
        """One, by its id or as people say it: S-12."""
        return await self._session_view(await self._session_run(session))

    async def resume_session(self, *, session: str, at: str | None = None, via: Via) -> SessionView:
        """Start it again, now, or by itself at a wall time."""
        run = await self._session_run(session)
        if at is None:
            await self._office.sessions.resume(run, via)
        else:
            await self._office.sessions.arm(run, _time(at), via)
        return await self._session_told(run)

    async def halt_session(self, *, session: str, via: Via) -> SessionView:
        """End its processes; it can be resumed."""
        run = await self._session_run(session)
        await self._office.sessions.halt(run, via)
        return await self._session_told(run)

    async def cancel_session(self, *, session: str, via: Via) -> SessionView:
        """End it for good."""
        run = await self._session_run(session)
        await self._office.sessions.cancel(run, via)
        return await self._session_told(run)

    async def archive_session(self, *, session: str, archived: bool = True, via: Via) -> SessionView:
        """Out of sight, or back."""
        run = await self._session_run(session)
        await self._office.sessions.archive(run, via, archived=archived)
        return await self._session_told(run)

    async def delete_session(self, *, session: str) -> dict[str, str]:
        """Remove it and its work folder; a summary stays, and its documents."""
        run = await self._session_run(session)
        await self._office.sessions.delete(run)
        self._office.hub.publish("org:changed", {"deletedSession": run.id})
        return {"deleted": run.id}

    async def attach_file(self, *, session: str, name: str, data: bytes) -> UploadView:
        """Keep a file with it; on disk before this returns."""
        run = await self._session_run(session)
        made = await asyncio.to_thread(attach, self._office.runs.layout, run, name, data)
        return {"id": made.id, "name": made.name, "size": made.size, "path": made.path}

    async def verify_session(self, *, session: str) -> dict[str, list[str]]:
        """Where its record and its journal disagree; nowhere, as a rule."""
        run = await self._session_run(session)
        return {"differences": await asyncio.to_thread(self._differences, run)}

    async def _session_run(self, session: str) -> Run:
        spoken = _NUMBER.match(session)
        if spoken:
            return await asyncio.to_thread(self._office.runs.by_number, int(spoken.group(1)))
        return await asyncio.to_thread(self._office.runs.get, validate_id(session))

    async def _session_told(self, run: Run) -> SessionView:
        view = await self._session_view(await asyncio.to_thread(self._office.runs.get, run.id))
        self._office.hub.publish("org:changed", {"session": view})
        return view

    async def _session_view(self, run: Run) -> SessionView:
        return await asyncio.to_thread(self._whole, run)

    def _latest(self, limit: int, archived: bool) -> list[Run]:
        marks = self._office.sessions.marks
        found: list[Run] = []
        for run in self._office.runs.newest():
            if archived or not marks.archived(run.id):
                found.append(run)
            if len(found) >= limit:
                break
        return found

    def _whole(self, run: Run) -> SessionView:
        marks, runs = self._office.sessions.marks, self._office.runs
        at, halted = marks.armed_at(run.id), marks.halted_by(run.id)
        return {
            **views.run_view(run),
            "archived": marks.archived(run.id),
            "autoResumeAt": at.isoformat(timespec="seconds") if at else None,
            "haltedBy": str(halted.get("via")) if halted else None,
            "queuedMessages": len(runs.messages(run).queued()),
            "steps": [views.step_view(step) for step in runs.children(run)],
            "uploads": [
                {"id": each.id, "name": each.name, "size": each.size, "path": each.path}
                for each in uploads(runs.layout, run)
            ],
        }

    def _differences(self, run: Run) -> list[str]:
        runs = self._office.runs
        return [sentence for each in (run, *runs.children(run)) for sentence in runs.verify(each)]


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as fault:
        raise BadRequest(f"{text!r} is not a time; write one such as 2026-01-31T08:00:00+01:00.") from fault
