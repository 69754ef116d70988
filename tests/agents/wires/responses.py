"""OpenAI Responses, streamed: what Codex speaks. A file is written by a command that Codex reads as a patch."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from agents.script import CONTENT, Step, Tool
from agents.wires.common import Chunk, Json, Request, Wire, flat, sse, typed

_numbers = itertools.count(1)


def read(body: Json) -> Request:
    """The latest typed prompt, and what tools answered since."""
    prompt = ""
    results: list[str] = []
    items = body.get("input", [])
    for item in items:
        if item.get("type", "message") == "message" and item.get("role") == "user":
            said = typed(flat(item["content"]))
            if said and not said.startswith("# AGENTS.md instructions"):
                prompt, results = said, []
        elif item.get("type") in ("function_call_output", "custom_tool_call_output"):
            results.append(flat(item.get("output", "")))
    tools = tuple(tool.get("name", tool.get("type", "")) for tool in body.get("tools", []))
    history = "\n".join(flat(item) for item in items)
    return Request(prompt, tuple(results), tools, history, str(body.get("instructions", "")), side=not tools)


def stream(step: Step, request: Request, body: Json) -> Iterator[Chunk]:
    """The events of one answer."""
    answer = f"resp_{next(_numbers):06d}"
    yield _event("response.created", response={"id": answer})
    pieces = list(step.pieces())
    if pieces:
        yield from _message(pieces)
    if step.tool is not None:
        yield _event("response.output_item.done", item=_call(step.tool, request.tools))
    usage: Json = {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}
    yield _event("response.completed", response={"id": answer, "usage": usage})


def error(status: int) -> Json:
    """The body of an HTTP error."""
    return {"error": {"message": "scripted error", "type": "invalid_request_error", "code": None}}


def _message(pieces: list[str | float]) -> Iterator[Chunk]:
    item: Json = {"type": "message", "role": "assistant", "id": f"item_{next(_numbers):06d}", "content": []}
    yield _event("response.output_item.added", item=item)
    for piece in pieces:
        if isinstance(piece, float):
            yield piece
        else:
            yield _event("response.output_text.delta", item_id=item["id"], delta=piece)
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    yield _event("response.output_item.done", item={**item, "content": [{"type": "output_text", "text": text}]})


def _call(tool: Tool, tools: tuple[str, ...]) -> Json:
    command = tool.argument if tool.kind == "shell" else _patch(tool.argument)
    if "exec_command" in tools or "shell" not in tools:
        name, arguments = "exec_command", json.dumps({"cmd": command, "yield_time_ms": 1000})
    else:
        name, arguments = "shell", json.dumps({"command": ["bash", "-lc", command]})
    number = next(_numbers)
    return {
        "type": "function_call",
        "id": f"fc_{number:06d}",
        "call_id": f"call_{number:06d}",
        "name": name,
        "arguments": arguments,
    }


def _patch(path: str) -> str:
    added = "".join(f"+{line}\n" for line in CONTENT.splitlines())
    return f"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\nEOF"


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, event=kind)


WIRE = Wire("responses", read, stream, error)
