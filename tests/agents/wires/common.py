"""What the four wire formats share: the shape of a request that was read, and lines of server-sent events."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from agents.script import Step

Chunk = bytes | float  # bytes to send, or seconds to wait before the next
Json = dict[str, Any]

# What CLIs put around a prompt, which the user did not type.
_FRAMES = re.compile(
    r"<(system-reminder|environment_context|user_instructions|permissions instructions|INSTRUCTIONS|session_context)>"
    r".*?</\1>",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Request:
    """What an agent asked: the latest prompt, the results of its tools since then, and the tools it offers."""

    prompt: str
    results: tuple[str, ...]
    tools: tuple[str, ...]
    history: str  # every text of the request, in order
    system: str = ""
    side: bool = False  # not a turn: a title, a router, a summary


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire format: how its requests are read and its answers written."""

    name: str
    read: Callable[[Json], Request]
    stream: Callable[[Step, Request, Json], Iterator[Chunk]]
    error: Callable[[int], Json]


def sse(data: Json | str, event: str | None = None) -> bytes:
    """One server-sent event."""
    body = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {event}\n" if event else "").encode() + f"data: {body}\n\n".encode()


def typed(text: str) -> str:
    """The part of a user's text that a person typed."""
    return _FRAMES.sub("", text).strip()


def flat(content: Any) -> str:
    """All text within nested content."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(part for part in map(flat, content) if part)
        case dict():
            keys = ("text", "content", "output", "thinking", "parts", "response", "functionResponse", "error")
            return "\n".join(part for part in (flat(content[key]) for key in keys if key in content) if part)
        case _:
            return ""
