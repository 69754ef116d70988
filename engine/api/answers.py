"""Answers as JSON, and every fault as one sentence in the same shape."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from engine.domain.errors import ConduitError, Conflict, ConsentRefused, NotReady
from engine.domain.wire import ErrorBody

_log = logging.getLogger(__name__)
_HTTP_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
}


def answer(value: object, status: int = 200) -> Response:
    """JSON in plain ASCII: half a surrogate pair that an agent printed cannot break it."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


def install(app: FastAPI) -> None:
    """Answer every kind of fault with ``{"error": sentence}``."""
    app.add_exception_handler(ConduitError, _expected)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _expected(_: Request, error: Exception) -> Response:
    body: ErrorBody = {"error": str(error)}
    if isinstance(error, ConsentRefused):
        body["condition"] = error.condition
    if isinstance(error, Conflict | NotReady) and error.details:
        body["details"] = error.details
    return answer(body, error.status if isinstance(error, ConduitError) else 500)


async def _malformed(_: Request, error: Exception) -> Response:
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    return answer({"error": " ".join(_sentence(fault) for fault in faults[:3])}, 400)


async def _http(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = getattr(error, "headers", None) or {}
    reply = answer({"error": _HTTP_SENTENCES.get(status, "The request cannot be understood.")}, status)
    reply.headers.update(headers)
    return reply


async def _unexpected(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return answer({"error": "The engine hit a fault of its own; its log says where. Nothing else is known."}, 500)


def _sentence(fault: dict[str, Any]) -> str:
    """One validation fault in words. What was sent is not repeated: it could be a secret."""
    where = _where(fault.get("loc", ()))
    context = fault.get("ctx", {})
    match fault["type"]:
        case "json_invalid":
            return "The body is not JSON."
        case "missing":
            return f"{where} is missing."
        case "extra_forbidden":
            return f"{where} is not known here."
        case "string_too_long":
            return f"{where} is too long: at most {context['max_length']:,} characters."
        case "literal_error":
            return f"{where} has to be {context['expected']}."
        case "string_pattern_mismatch":
            return f"{where} is not an id."
        case "value_error":
            return f"{where}: {context['error']}"
        case _:
            return f"{where}: {fault['msg'].rstrip('.').lower()}."


def _where(location: Sequence[object]) -> str:
    names = [str(part) for part in location[1:]]
    return f"The field {'.'.join(names)}" if names else "The body (a JSON object)"
