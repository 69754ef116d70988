"""What is approved without asking, for the page and for the ear; confirming is the owner's."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import PolicyConfirmation
from engine.api.routes.context import Service, ViaOf

router = APIRouter(prefix="/api/policy")


@router.get("")
async def policy(service: Service) -> Response:
    return answer(await service.policy())


@router.post("/confirm")
async def confirm(service: Service, body: PolicyConfirmation, via: ViaOf) -> Response:
    return answer(await service.confirm_policy(digests=body.digests, via=via))
