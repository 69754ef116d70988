"""Events: every change, as it is told to page, voice and CLI."""

from dataclasses import dataclass
from typing import Any, Literal

EventType = Literal[
    "agent:status",
    "gate:triggered",
    "gate:resolved",
    "plan:created",
    "plan:resolved",
    "groupchat:message",
    "supervisor:update",
    "org:changed",
    "session:changed",
    "voice:state",
    "voice:command",  # the page asks the voice process: listen (push), silence
    "message:state",  # a queued message was delivered or cancelled
    "stream:reset",  # the client asked to resume from an id that is gone: read the snapshot again
]


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the stream. Ids grow; ``data`` is the wire view of what changed."""

    id: int
    type: EventType
    ts: str
    data: dict[str, Any]
