"""The raw terminal of an agent, for a person at ``attach``."""

import base64
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from engine.api.answers import answer
from engine.api.bodies import Id, Keys, Size
from engine.api.routes.context import Service

router = APIRouter(prefix="/api/projects/{project_id}/agents/{agent_id}/terminal")


@router.get("")
async def terminal(
    service: Service, project_id: Id, agent_id: Id, after: Annotated[int | None, Query(ge=0)] = None
) -> Response:
    pieces = await service.terminal(project_id=project_id, agent_id=agent_id, after=after)
    return StreamingResponse(pieces, media_type="application/octet-stream")


@router.post("/keys")
async def keys(service: Service, project_id: Id, agent_id: Id, body: Keys) -> Response:
    data = base64.b64decode(body.data, validate=True)
    await service.terminal_keys(project_id=project_id, agent_id=agent_id, data=data)
    return answer({})


@router.post("/size")
async def size(service: Service, project_id: Id, agent_id: Id, body: Size) -> Response:
    await service.terminal_size(project_id=project_id, agent_id=agent_id, rows=body.rows, cols=body.cols)
    return answer({})
