"""Sessions: what ran, and what runs; resumed, halted, cancelled, archived, deleted."""

import base64

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import Archive, Attachment, Id, Resume
from engine.api.routes.context import Limit, Service, ViaOf

router = APIRouter(prefix="/api/sessions")


@router.get("")
async def sessions(service: Service, limit: Limit = 50, archived: bool = False) -> Response:
    return answer(await service.sessions(limit=limit, archived=archived))


@router.get("/{session}")
async def session(service: Service, session: Id) -> Response:
    return answer(await service.session(session=session))


@router.delete("/{session}")
async def delete(service: Service, session: Id) -> Response:
    return answer(await service.delete_session(session=session))


@router.post("/{session}/resume")
async def resume(service: Service, session: Id, via: ViaOf, body: Resume | None = None) -> Response:
    at = body.at if body is not None else None
    return answer(await service.resume_session(session=session, at=at, via=via))


@router.post("/{session}/halt")
async def halt(service: Service, session: Id, via: ViaOf) -> Response:
    return answer(await service.halt_session(session=session, via=via))


@router.post("/{session}/cancel")
async def cancel(service: Service, session: Id, via: ViaOf) -> Response:
    return answer(await service.cancel_session(session=session, via=via))


@router.post("/{session}/archive")
async def archive(service: Service, session: Id, via: ViaOf, body: Archive | None = None) -> Response:
    archived = body is None or body.archived
    return answer(await service.archive_session(session=session, archived=archived, via=via))


@router.post("/{session}/uploads")
async def attach(service: Service, session: Id, body: Attachment) -> Response:
    data = base64.b64decode(body.data, validate=True)
    return answer(await service.attach_file(session=session, name=body.name, data=data))


@router.get("/{session}/verify")
async def verify(service: Service, session: Id) -> Response:
    return answer(await service.verify_session(session=session))
