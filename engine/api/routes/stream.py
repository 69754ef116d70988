"""The event stream as server-sent events, resumable by id."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from engine.api.ports import EventReader, Events
from engine.domain.errors import BadRequest
from engine.domain.events import Event

HEARTBEAT_S = 15.0
router = APIRouter()


@router.get("/api/events")
async def events(
    request: Request,
    after: Annotated[int | None, Query(ge=0)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    hub: Events = request.app.state.events
    reader = hub.subscribe(_resume_from(last_event_id, after))
    lines = _lines(reader, request.app.state.heartbeat_s)
    return StreamingResponse(lines, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def _resume_from(last_event_id: str | None, after: int | None) -> int | None:
    """A client that reconnects sends the header; it is later than the address."""
    if last_event_id is None or last_event_id == "":
        return after
    if not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 16:
        raise BadRequest("Last-Event-ID has to be the number of an event.")
    return int(last_event_id)


async def _lines(reader: EventReader, heartbeat_s: float) -> AsyncIterator[str]:
    """Frames of the stream: events, and a comment line where nothing happens for a while."""
    try:
        yield ": open\n\n"
        while True:
            try:
                async with asyncio.timeout(heartbeat_s):
                    event = await anext(reader)
            except TimeoutError:
                yield ": still here\n\n"
            except StopAsyncIteration:
                return
            else:
                yield frame(event)
    finally:
        await reader.aclose()


def frame(event: Event) -> str:
    """One event as a server-sent event; ``data`` is the whole ``EventBody``."""
    body = {"id": event.id, "type": event.type, "ts": event.ts, "data": event.data}
    return f"id: {event.id}\nevent: {event.type}\ndata: {json.dumps(body, separators=(',', ':'))}\n\n"
