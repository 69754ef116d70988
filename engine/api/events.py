"""The event stream: growing ids, the latest 2,000 kept, each reader with a bounded queue of its own."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from engine.domain.events import Event, EventType
from engine.ports.clock import Clock, stamp

KEPT = 2_000
QUEUE = 2_500
IDS_A_LIFE = 10**9  # more events than one life of an engine makes


class EventHub:
    """Tells every change to every reader; all calls on one event loop.

    Ids start at the wall clock's microseconds, or past ``floor`` (the start of the life before plus
    ``IDS_A_LIFE``) when the clock was set back, so that an id never comes twice. They stay below 2**53.
    """

    def __init__(self, clock: Clock, *, floor: int = 0, kept: int = KEPT, queue: int = QUEUE) -> None:
        self._clock = clock
        self.seed = max(int(clock.wall().timestamp() * 1_000_000), floor)
        self._last = self.seed
        self._ring: deque[Event] = deque(maxlen=kept)
        self._queue = queue
        self._readers: set[Reader] = set()
        self._closed = False

    @property
    def last_id(self) -> int:
        """The id of the latest event; a reader that has seen it has missed nothing."""
        return self._last

    def publish(self, event_type: EventType, data: dict[str, Any]) -> Event:
        """Give the change its id and hand it to every reader; never waits for a slow one."""
        self._last += 1
        event = Event(self._last, event_type, stamp(self._clock), data)
        self._ring.append(event)
        for reader in self._readers:
            reader.offer(event)
        return event

    def subscribe(self, after: int | None = None) -> "Reader":
        """Events after an id (None: from now on). Listening begins with this call, not with the first ``anext``.

        Where the id is gone, or the reader was too slow, ``stream:reset`` says to read the snapshot again.
        """
        reader = Reader(self._queue, self)
        for event in self._missed(after):
            reader.offer(event)
        self._readers.add(reader)
        if self._closed:
            reader.close()
        return reader

    def drop(self, reader: "Reader") -> None:
        """A reader is gone."""
        self._readers.discard(reader)

    def close(self) -> None:
        """End every stream: the engine stops."""
        self._closed = True
        for reader in list(self._readers):
            reader.close()

    def reset(self, why: str) -> Event:
        """What a reader gets in place of events that it can't have; not kept, and no id of its own."""
        return Event(self._last, "stream:reset", stamp(self._clock), {"reason": why})

    def _missed(self, after: int | None) -> list[Event]:
        if after is None or after == self._last:
            return []
        oldest = self._ring[0].id if self._ring else self._last + 1
        if not oldest - 1 <= after < self._last:
            return [self.reset("the id to resume from is not kept any more")]
        missed = [event for event in self._ring if event.id > after]
        return missed if len(missed) <= self._queue else [self.reset("too much happened meanwhile")]


class Reader(AsyncIterator[Event]):
    """One reader's queue. When it is full it is emptied, and the reader is told to start over."""

    def __init__(self, size: int, hub: EventHub) -> None:
        self._waiting: deque[Event] = deque()
        self._size = size
        self._hub = hub
        self._something = asyncio.Event()
        self._closed = False

    def offer(self, event: Event) -> None:
        if len(self._waiting) >= self._size:
            self._waiting.clear()
            event = self._hub.reset("this reader was too slow")
        self._waiting.append(event)
        self._something.set()

    def close(self) -> None:
        self._closed = True
        self._something.set()

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._something.clear()
            await self._something.wait()
        return self._waiting.popleft()

    async def aclose(self) -> None:
        self._hub.drop(self)
