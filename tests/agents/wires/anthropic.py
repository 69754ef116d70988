"""Anthropic Messages, streamed: what Claude Code speaks."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from agents.script import CONTENT, Step, Tool
from agents.wires.common import Chunk, Json, Request, Wire, flat, sse, typed

_numbers = itertools.count(1)


def read(body: Json) -> Request:
    """The latest typed prompt, and what tools answered since."""
    prompt, results = "", []
    for message in body.get("messages", []):
        if message["role"] != "user":
            continue
        blocks = message["content"] if isinstance(message["content"], list) else [{"type": "text", **_text(message)}]
        said = typed("\n".join(block["text"] for block in blocks if block["type"] == "text"))
        answers = [flat(block.get("content", "")) for block in blocks if block["type"] == "tool_result"]
        results += answers
        if said and not answers:
            prompt, results = said, []
        elif said:  # what the user added to a refusal
            results.append(said)
    tools = tuple(tool["name"] for tool in body.get("tools", []))
    history = "\n".join(flat(message["content"]) for message in body.get("messages", []))
    return Request(prompt, tuple(results), tools, history, flat(body.get("system", "")), side=not tools)


def stream(step: Step, request: Request, body: Json) -> Iterator[Chunk]:
    """The events of one answer."""
    message: Json = {
        "id": f"msg_{next(_numbers):06d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    yield _event("message_start", message=message)
    index = 0
    pieces = list(step.pieces())
    if pieces:
        yield from _block(index, {"type": "text", "text": ""}, _spoken(pieces))
        index += 1
    if step.tool is not None:
        name, arguments = _call(step.tool)
        block = {"type": "tool_use", "id": f"toolu_{next(_numbers):06d}", "name": name, "input": {}}
        yield from _block(index, block, iter([{"type": "input_json_delta", "partial_json": json.dumps(arguments)}]))
    stop = "tool_use" if step.tool is not None else "end_turn"
    yield _event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 20})
    yield _event("message_stop")


def error(status: int) -> Json:
    """The body of an HTTP error."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": "scripted error"}}


def _text(message: Json) -> Json:
    return {"text": str(message["content"])}


def _spoken(pieces: list[str | float]) -> Iterator[Any]:
    for piece in pieces:
        yield piece if isinstance(piece, float) else {"type": "text_delta", "text": piece}


def _block(index: int, block: Json, deltas: Iterator[Any]) -> Iterator[Chunk]:
    yield _event("content_block_start", index=index, content_block=block)
    for delta in deltas:
        yield delta if isinstance(delta, float) else _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, event=kind)


def _call(tool: Tool) -> tuple[str, Json]:
    if tool.kind == "shell":
        return "Bash", {"command": tool.argument, "description": "A scripted command"}
    return "Write", {"file_path": tool.argument, "content": CONTENT}


WIRE = Wire("anthropic", read, stream, error)
