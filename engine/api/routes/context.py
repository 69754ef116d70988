"""What every route is given: the service, the way a request came, and page sizes."""

from typing import Annotated

from fastapi import Depends, Query, Request

from engine.api.ports import ServicePort
from engine.domain.gates import Via


def _service(request: Request) -> ServicePort:
    service: ServicePort = request.app.state.service
    return service


def _via(request: Request) -> Via:
    via: Via = request.state.via
    return via


Service = Annotated[ServicePort, Depends(_service)]
ViaOf = Annotated[Via, Depends(_via)]
Limit = Annotated[int, Query(ge=1, le=500)]
