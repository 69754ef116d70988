"""The application: routes behind the guard, faults as sentences. No generated documentation is served."""

from dataclasses import dataclass, field

from fastapi import FastAPI

from engine.api import answers
from engine.api.auth.caller import Peers, Trees, system_peers
from engine.api.auth.links import Links
from engine.api.auth.tokens import Tokens
from engine.api.guard import Guard
from engine.api.ports import Events, ServicePort
from engine.api.routes import (
    access,
    agents,
    documents,
    gates,
    hooks,
    messages,
    page,
    plans,
    policies,
    projects,
    sessions,
    stream,
    terminals,
    voices,
)
from engine.ports.clock import Clock

_ROUTERS = tuple(
    module.router
    for module in (
        access,
        agents,
        documents,
        gates,
        hooks,
        messages,
        page,
        plans,
        policies,
        projects,
        sessions,
        stream,
        terminals,
        voices,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What health tells of this engine; nothing secret."""

    version: str
    home: str
    started_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who may ask. ``trees`` is called from a worker thread, for every request."""

    tokens: Tokens
    links: Links
    trees: Trees
    peers: Peers = field(default_factory=system_peers)

    @classmethod
    def of(cls, tokens: Tokens, clock: Clock, trees: Trees) -> "Access":
        """With links on this clock and the system's own look-up of connections."""
        return cls(tokens=tokens, links=Links(clock), trees=trees)


def create_app(
    service: ServicePort,
    access: Access,
    events: Events,
    about: About,
    *,
    heartbeat_s: float = stream.HEARTBEAT_S,
    hook_desk: hooks.HookPort | None = None,
) -> FastAPI:
    """The whole API and the page as one ASGI application."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.service = service
    app.state.events = events
    app.state.hooks = hook_desk
    app.state.about = about
    app.state.links = access.links
    app.state.tokens = access.tokens
    app.state.heartbeat_s = heartbeat_s
    answers.install(app)
    for router in _ROUTERS:
        app.include_router(router)
    app.add_middleware(Guard, tokens=access.tokens, trees=access.trees, peers=access.peers)
    return app
