"""Health, and the one-time link that opens the page."""

import os

from fastapi import APIRouter, Request, Response

from engine.api.answers import answer
from engine.api.bodies import Code

router = APIRouter(prefix="/api")


@router.get("/health")
async def health(request: Request) -> Response:
    about = request.app.state.about
    return answer(
        {"ok": True, "version": about.version, "pid": os.getpid(), "home": about.home, "startedAt": about.started_at}
    )


@router.post("/auth/link")
async def link(request: Request) -> Response:
    return answer({"code": request.app.state.links.issue()})


@router.post("/auth/exchange")
async def exchange(request: Request, body: Code) -> Response:
    request.app.state.links.redeem(body.code)
    return answer({"token": request.app.state.tokens.owner})
