"""The one way to answer a gate; ``via`` comes from the token, consent is the service's to check."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import GateDecision, Id
from engine.api.routes.context import Service, ViaOf

router = APIRouter(prefix="/api/projects/{project_id}/agents/{agent_id}/gate")


@router.post("/{gate_id}/reveal")
async def reveal(service: Service, project_id: Id, agent_id: Id, gate_id: Id, via: ViaOf) -> Response:
    """What is masked in the gate's text: for the user's own token, and noted."""
    return answer(await service.reveal(project_id=project_id, agent_id=agent_id, gate_id=gate_id, via=via))


@router.post("/resolve")
async def resolve(service: Service, project_id: Id, agent_id: Id, body: GateDecision, via: ViaOf) -> Response:
    return answer(await service.resolve(project_id=project_id, agent_id=agent_id, via=via, **body.model_dump()))
