"""Gemini streamGenerateContent, and the plain calls with a JSON schema that its CLI makes on the side."""

import json
from collections.abc import Iterator
from typing import Any

from agents.script import CONTENT, Step, Tool
from agents.wires.common import Chunk, Json, Request, Wire, flat, sse, typed


def read(body: Json) -> Request:
    """The latest typed prompt, and what tools answered since."""
    prompt, results = "", []
    for message in body.get("contents", []):
        if message.get("role") != "user":
            continue
        answers = [
            flat(part["functionResponse"].get("response")) or str(part["functionResponse"].get("response"))
            for part in message["parts"]
            if "functionResponse" in part
        ]
        said = typed("\n".join(part["text"] for part in message["parts"] if "text" in part))
        results += answers
        if said and not answers:
            prompt, results = said, []
    tools = tuple(one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", []))
    history = "\n".join(flat(message) for message in body.get("contents", []))
    system = flat(body.get("systemInstruction", ""))
    return Request(prompt, tuple(results), tools, history, system, side=not tools)


def stream(step: Step, request: Request, body: Json) -> Iterator[Chunk]:
    """The events of one answer."""
    for piece in step.pieces():
        yield piece if isinstance(piece, float) else sse(_answer([{"text": piece}], end=False))
    parts = [{"functionCall": _call(step.tool)}] if step.tool is not None else [{"text": ""}]
    yield sse(_answer(parts, end=True))


def plain(body: Json) -> Json:
    """The answer to a call that is not streamed: the smallest object that fits its schema."""
    config = body.get("generationConfig", {})
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    return _answer([{"text": json.dumps(_fitting(schema)) if schema else "scripted"}], end=True)


def error(status: int) -> Json:
    """The body of an HTTP error."""
    return {"error": {"code": status, "message": "scripted error", "status": "INVALID_ARGUMENT"}}


def _answer(parts: list[Json], *, end: bool) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    if end:
        candidate["finishReason"] = "STOP"
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 20, "totalTokenCount": 30}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


def _call(tool: Tool) -> Json:
    if tool.kind == "shell":
        arguments = {"command": tool.argument, "description": "A scripted command"}
        return {"name": "run_shell_command", "args": arguments}
    return {"name": "write_file", "args": {"file_path": tool.argument, "content": CONTENT}}


def _fitting(schema: Json) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match str(schema.get("type", "object")).lower():
        case "object":
            return {name: _fitting(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return schema.get("minimum", 1)
        case _:
            return "scripted"


WIRE = Wire("gemini", read, stream, error)
