"""OpenAI chat completions, streamed: what opencode (with tools) and aider (text only) speak."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from agents.script import CONTENT, Step, Tool
from agents.wires.common import Chunk, Json, Request, Wire, flat, sse, typed

_numbers = itertools.count(1)
_EDITS_BY_TEXT = "SEARCH/REPLACE"  # in the instructions of a CLI that has no tools


def read(body: Json) -> Request:
    """The latest typed prompt, and what tools answered since."""
    prompt = ""
    results: list[str] = []
    messages = body.get("messages", [])
    for message in messages:
        if message["role"] == "user" and (said := typed(flat(message["content"]))):
            prompt, results = said, []
        elif message["role"] == "tool":
            results.append(flat(message["content"]))
    tools = tuple(tool["function"]["name"] for tool in body.get("tools") or [])
    system = "\n".join(flat(message["content"]) for message in messages if message["role"] == "system")
    history = "\n".join(flat(message.get("content")) for message in messages)
    return Request(prompt, tuple(results), tools, history, system, side=not tools and _EDITS_BY_TEXT not in history)


def stream(step: Step, request: Request, body: Json) -> Iterator[Chunk]:
    """The chunks of one answer."""
    number, model = next(_numbers), body.get("model", "scripted")

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse(_head(number, model) | {"choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in step.pieces():
        yield piece if isinstance(piece, float) else chunk({"content": piece})
    by_tool = step.tool is not None and bool(request.tools)
    if step.tool is not None:
        yield chunk(_call(step.tool, number) if by_tool else {"content": _as_text(step.tool)})
    yield chunk({}, "tool_calls" if by_tool else "stop")
    usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
    yield sse(_head(number, model) | {"choices": [], "usage": usage})
    yield sse("[DONE]")


def whole(step: Step, request: Request, body: Json) -> Json:
    """The answer to a call that is not streamed."""
    text = "".join(piece for piece in step.pieces() if isinstance(piece, str))
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
    head = _head(next(_numbers), body.get("model", "scripted"))
    return head | {"object": "chat.completion", "choices": [choice], "usage": usage}


def error(status: int) -> Json:
    """The body of an HTTP error."""
    return {"error": {"message": "scripted error", "type": "invalid_request_error", "code": None}}


def _head(number: int, model: Any) -> Json:
    return {"id": f"chatcmpl-{number:06d}", "object": "chat.completion.chunk", "created": 1, "model": model}


def _call(tool: Tool, number: int) -> Json:
    if tool.kind == "shell":
        name, arguments = "bash", {"command": tool.argument, "description": "A scripted command"}
    else:
        name, arguments = "write", {"filePath": tool.argument, "content": CONTENT}
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": f"call_{number:06d}", "type": "function", "function": function}]}


def _as_text(tool: Tool) -> str:
    if tool.kind == "shell":
        return f"\n```bash\n{tool.argument}\n```\n"
    return f"\n{tool.argument}\n```\n<<<<<<< SEARCH\n=======\n{CONTENT}>>>>>>> REPLACE\n```\n"


WIRE = Wire("chat", read, stream, error)
