"""Agents: made, started, stopped, looked at."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from engine.api.answers import answer
from engine.api.bodies import AgentChange, Id, NewAgent, Start
from engine.api.routes.context import Service, ViaOf

router = APIRouter(prefix="/api/projects/{project_id}/agents")


@router.get("")
async def list_agents(service: Service, project_id: Id) -> Response:
    return answer(await service.list_agents(project_id=project_id))


@router.post("")
async def create_agent(service: Service, project_id: Id, body: NewAgent) -> Response:
    return answer(await service.create_agent(project_id=project_id, **body.model_dump()))


@router.get("/{agent_id}")
async def get_agent(service: Service, project_id: Id, agent_id: Id) -> Response:
    return answer(await service.get_agent(project_id=project_id, agent_id=agent_id))


@router.put("/{agent_id}")
async def update_agent(service: Service, project_id: Id, agent_id: Id, body: AgentChange) -> Response:
    fields = body.model_dump(exclude_unset=True)
    return answer(await service.update_agent(project_id=project_id, agent_id=agent_id, **fields))


@router.delete("/{agent_id}")
async def delete_agent(service: Service, project_id: Id, agent_id: Id) -> Response:
    return answer(await service.delete_agent(project_id=project_id, agent_id=agent_id))


@router.post("/{agent_id}/start")
async def start_agent(service: Service, project_id: Id, agent_id: Id, body: Start | None = None) -> Response:
    resume = body is not None and body.resume
    return answer(await service.start_agent(project_id=project_id, agent_id=agent_id, resume=resume))


@router.post("/{agent_id}/stop")
async def stop_agent(service: Service, project_id: Id, agent_id: Id, via: ViaOf) -> Response:
    return answer(await service.stop_agent(project_id=project_id, agent_id=agent_id, via=via))


@router.post("/{agent_id}/restart")
async def restart_agent(service: Service, project_id: Id, agent_id: Id, via: ViaOf) -> Response:
    return answer(await service.restart_agent(project_id=project_id, agent_id=agent_id, via=via))


@router.post("/{agent_id}/interrupt")
async def interrupt_agent(service: Service, project_id: Id, agent_id: Id) -> Response:
    return answer(await service.interrupt_agent(project_id=project_id, agent_id=agent_id))


@router.get("/{agent_id}/output")
async def output(
    service: Service, project_id: Id, agent_id: Id, lines: Annotated[int, Query(ge=1, le=1_000)] = 40
) -> Response:
    return answer(await service.output(project_id=project_id, agent_id=agent_id, lines=lines))
