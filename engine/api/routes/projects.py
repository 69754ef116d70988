"""Projects, their chat, and all that is open."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from engine.api.answers import answer
from engine.api.bodies import ChatText, Id, NewProject, ProjectChange
from engine.api.routes.context import Limit, Service

router = APIRouter()


@router.get("/org/snapshot")
async def snapshot(service: Service) -> Response:
    return answer(await service.snapshot())


@router.get("/api/projects")
async def list_projects(service: Service) -> Response:
    return answer(await service.list_projects())


@router.post("/api/projects")
async def create_project(service: Service, body: NewProject) -> Response:
    return answer(await service.create_project(**body.model_dump()))


@router.get("/api/projects/{project_id}")
async def get_project(service: Service, project_id: Id) -> Response:
    return answer(await service.get_project(project_id=project_id))


@router.put("/api/projects/{project_id}")
async def update_project(service: Service, project_id: Id, body: ProjectChange) -> Response:
    return answer(await service.update_project(project_id=project_id, **body.model_dump(exclude_unset=True)))


@router.delete("/api/projects/{project_id}")
async def delete_project(
    service: Service, project_id: Id, remove_data: Annotated[bool, Query(alias="removeData")] = False
) -> Response:
    return answer(await service.delete_project(project_id=project_id, remove_data=remove_data))


@router.get("/api/projects/{project_id}/groupchat")
async def chat(service: Service, project_id: Id, limit: Limit = 50) -> Response:
    return answer(await service.chat(project_id=project_id, limit=limit))


@router.post("/api/projects/{project_id}/groupchat")
async def post_chat(service: Service, project_id: Id, body: ChatText) -> Response:
    return answer(await service.post_chat(project_id=project_id, text=body.text))


@router.get("/api/projects/{project_id}/audit")
async def audit(service: Service, project_id: Id, limit: Limit = 50) -> Response:
    return answer(await service.audit(project_id=project_id, limit=limit))
