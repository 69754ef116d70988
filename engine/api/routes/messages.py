"""Messages to agents."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import Broadcast, Id, Inject
from engine.api.routes.context import Service, ViaOf

router = APIRouter(prefix="/org")


@router.post("/inject")
async def inject(service: Service, body: Inject, via: ViaOf) -> Response:
    return answer(await service.inject(via=via, **body.model_dump()))


@router.post("/messages/{message_id}/cancel")
async def cancel_message(service: Service, message_id: Id) -> Response:
    return answer(await service.cancel_message(message_id=message_id))


@router.post("/broadcast")
async def broadcast(service: Service, body: Broadcast, via: ViaOf) -> Response:
    return answer(await service.broadcast(via=via, **body.model_dump()))
