"""Where changes are told: one call, many readers."""

from typing import Any, Protocol

from engine.domain.events import Event, EventType


class Hub(Protocol):
    """The event stream as its writers see it."""

    @property
    def last_id(self) -> int:
        """The id of the latest event."""
        ...

    def publish(self, event_type: EventType, data: dict[str, Any]) -> Event:
        """Tell a change; never waits for a reader."""
        ...
