"""Hooks of agents: each request is one event, and may wait for as long as its question is open."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Path, Request, Response
from starlette.background import BackgroundTask

from engine.api.answers import answer
from engine.domain.errors import NotFound

router = APIRouter(prefix="/org/hooks")
_Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9-]{1,64}$")]


class Sent(Protocol):
    """What a hook is answered with; ``sent`` is set when the answer has been written."""

    @property
    def body(self) -> Mapping[str, Any]: ...

    @property
    def sent(self) -> asyncio.Event: ...


class HookPort(Protocol):
    """Who answers hooks."""

    async def hook(self, run_id: str, event: str, body: Mapping[str, Any]) -> Sent:
        """Cancelled when the agent lets go of the connection."""
        ...


@router.post("/{run_id}/{event}")
async def hook(request: Request, run_id: _Name, event: _Name, body: dict[str, Any]) -> Response:
    desk: HookPort | None = request.app.state.hooks
    if desk is None:
        raise NotFound("This engine answers no hooks.")
    asked = asyncio.ensure_future(desk.hook(run_id, event, body))
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((asked, left), return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():  # it hung up: the answer would reach nobody
            return answer({})
        reply = asked.result()
        return _with_word(answer(dict(reply.body)), reply.sent)
    finally:
        for task in (asked, left):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(asked, left, return_exceptions=True)


async def _left(request: Request) -> None:
    """Until the other end is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _with_word(response: Response, sent: asyncio.Event) -> Response:
    """The response, which says when it has been written."""

    async def written() -> None:
        sent.set()

    response.background = BackgroundTask(written)
    return response
