"""Published documents of a project: each version is written once."""

import base64
from typing import Annotated

from fastapi import APIRouter, Query, Response

from engine.api.answers import answer
from engine.api.bodies import Id, NewDocument
from engine.api.routes.context import Service, ViaOf

router = APIRouter(prefix="/api/projects/{project_id}/documents")


@router.get("")
async def documents(service: Service, project_id: Id) -> Response:
    return answer(await service.documents(project_id=project_id))


@router.post("")
async def publish(service: Service, project_id: Id, body: NewDocument, via: ViaOf) -> Response:
    fields = body.model_dump()
    fields["data"] = base64.b64decode(body.data, validate=True)
    return answer(await service.publish_document(project_id=project_id, via=via, **fields))


@router.get("/{document_id}")
async def document(service: Service, project_id: Id, document_id: Id) -> Response:
    return answer(await service.document(project_id=project_id, document_id=document_id))


@router.get("/{document_id}/content")
async def content(
    service: Service, project_id: Id, document_id: Id, version: Annotated[int | None, Query(ge=1)] = None
) -> Response:
    _, data = await service.document_content(project_id=project_id, document_id=document_id, version=version)
    # Never shown as a page of ours: what an agent wrote must not run with the page's rights.
    headers = {"Content-Disposition": "attachment"}
    return Response(data, media_type="application/octet-stream", headers=headers)
