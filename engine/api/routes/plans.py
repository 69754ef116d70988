"""Plans: proposed, listed, decided on."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import Id, NewPlan, PlanChoice, ProjectPlan
from engine.api.routes.context import Service, ViaOf

router = APIRouter()


@router.get("/api/projects/{project_id}/plans")
async def list_plans(service: Service, project_id: Id) -> Response:
    return answer(await service.list_plans(project_id=project_id))


@router.post("/api/projects/{project_id}/plans")
async def create_project_plan(service: Service, project_id: Id, body: ProjectPlan) -> Response:
    return answer(await service.create_plan(project=project_id, **body.model_dump()))


@router.post("/api/projects/{project_id}/plans/{plan_id}/resolve")
async def resolve_plan(service: Service, project_id: Id, plan_id: Id, body: PlanChoice, via: ViaOf) -> Response:
    return answer(await service.resolve_plan(project_id=project_id, plan_id=plan_id, via=via, **body.model_dump()))


@router.post("/org/plan")
async def create_plan(service: Service, body: NewPlan) -> Response:
    return answer(await service.create_plan(**body.model_dump()))
