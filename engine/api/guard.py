"""The gate in front of every request of every protocol, before any handler (pure ASGI).

In this order: Host and Origin, the address, the calling process, the token, what its kind may do, the size of the body.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from engine.api.auth.access import check_access, is_public, via_of
from engine.api.auth.caller import Connection, Peers, Trees, agent_behind
from engine.api.auth.hosts import check_address, check_host, values
from engine.api.auth.tokens import Identity, Tokens
from engine.domain.errors import BadRequest, ConduitError, Forbidden, Unauthorized

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_LIMIT = 2_000_000  # bytes
_DRAIN_LIMIT = 16_000_000  # read and thrown away, so that a usual client still reads the sentence
_QUERY_NAMES = frozenset({"token", "access_token", "auth", "authorization", "api_key", "apikey", "key", "bearer"})
_log = logging.getLogger(__name__)

SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cache-control", b"no-store"),
)


class TooLarge(ConduitError):
    """The body is larger than any request needs to be."""

    status = 413


@dataclass(frozen=True, slots=True)
class Guard:
    """ASGI middleware; sets ``identity`` and ``via`` in the state of what it lets through."""

    app: App
    tokens: Tokens
    trees: Trees
    peers: Peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        send = _with_security_headers(send)
        try:
            await self._check(scope)
            body = await _whole_body(scope, receive)
        except ConduitError as error:
            await _refuse(scope, send, error)
            return
        await self.app(scope, _replay(body, receive), send)

    async def _check(self, scope: Scope) -> None:
        headers = scope["headers"]
        check_host(headers, scope["server"][1])
        check_address(scope.get("raw_path") or b"", scope["path"])
        self._check_query(scope)
        run_id = await self._agent_behind(scope)
        identity = self._identity(headers)
        if run_id is not None and identity != Identity("agent", run_id):
            raise Forbidden("An agent may not ask the engine: this is for its user.")
        method, path = scope.get("method", "GET"), scope["path"]
        if not is_public(method, path):
            self._authorise(scope, identity, method, path)
        if scope["type"] == "websocket":
            raise BadRequest("The engine speaks plain HTTP; events come from /api/events.")

    def _authorise(self, scope: Scope, identity: Identity | None, method: str, path: str) -> None:
        if identity is None:
            raise Unauthorized("This needs a token: send Authorization: Bearer and the token of this engine.")
        check_access(identity, method, path)
        claimed = values(scope["headers"], b"x-conduit-via")
        scope.setdefault("state", {}).update(
            identity=identity, via=via_of(identity, ", ".join(claimed) if claimed else None)
        )

    def _identity(self, headers: list[tuple[bytes, bytes]]) -> Identity | None:
        given = values(headers, b"authorization")
        if len(given) != 1:
            return None
        scheme, _, token = given[0].partition(" ")
        return self.tokens.identify(token.strip()) if scheme.lower() == "bearer" else None

    def _check_query(self, scope: Scope) -> None:
        query = scope.get("query_string", b"").decode("latin-1")
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=50) if query.count("&") < 50 else [("key", "")]
        if any(name.lower() in _QUERY_NAMES or self.tokens.identify(value) for name, value in pairs):
            raise BadRequest("A token may not stand in the address, where logs keep it: send it as a header.")

    async def _agent_behind(self, scope: Scope) -> str | None:
        if scope.get("client") is None:
            raise Forbidden("The engine cannot tell who asks.")
        connection = Connection(client=tuple(scope["client"]), server=tuple(scope["server"]))
        try:
            return await asyncio.to_thread(agent_behind, connection, self.trees, self.peers)
        except OSError as error:
            _log.error("The process behind a connection cannot be looked up: %s", error)
            raise Forbidden("The engine cannot look up which process asks, so it does nothing.") from error


async def _whole_body(scope: Scope, receive: Receive) -> bytes:
    """The body, at most ``BODY_LIMIT`` bytes; more is read away and refused."""
    parts: list[bytes] = []
    size = 0
    more = scope["type"] == "http"
    while more and size <= _DRAIN_LIMIT:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The request ended before its body did.")
        part = message.get("body", b"")
        size += len(part)
        if size <= BODY_LIMIT:
            parts.append(part)
        more = message.get("more_body", False)
    if size > BODY_LIMIT:
        raise TooLarge(f"The request is too large: at most {BODY_LIMIT:,} bytes.")
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _with_security_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *SECURITY_HEADERS]
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, error: ConduitError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": str(error)[:120]})
        return
    body = json.dumps({"error": str(error)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if isinstance(error, TooLarge):
        headers.append((b"connection", b"close"))
    if isinstance(error, Unauthorized):
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
