"""Sessions: what ran, and what runs."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import Id
from engine.api.routes.context import Limit, Service

router = APIRouter(prefix="/api/sessions")


@router.get("")
async def sessions(service: Service, limit: Limit = 50) -> Response:
    return answer(await service.sessions(limit=limit))


@router.get("/{session}")
async def session(service: Service, session: Id) -> Response:
    return answer(await service.session(session=session))
