"""Sessions: every life of every agent, by number or id."""

import asyncio
import re

from engine.domain.errors import BadRequest
from engine.domain.wire import RunView
from engine.service import views
from engine.service.office import Office
from engine.storage.layout import validate_id

_NUMBER = re.compile(r"^[sS]-?(\d{1,9})$")


class SessionService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def sessions(self, *, limit: int = 50) -> list[RunView]:
        """The latest ones, newest first."""
        if not 1 <= limit <= 1_000:
            raise BadRequest("limit must be between 1 and 1000.")
        return [views.run_view(run) for run in await asyncio.to_thread(self._office.runs.latest, limit)]

    async def session(self, *, session: str) -> RunView:
        """One, by its id or as people say it: S-12."""
        spoken = _NUMBER.match(session)
        if spoken:
            run = await asyncio.to_thread(self._office.runs.by_number, int(spoken.group(1)))
        else:
            run = await asyncio.to_thread(self._office.runs.get, validate_id(session))
        return views.run_view(run)
