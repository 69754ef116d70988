"""The engine as the loop sees it: a snapshot kept fresh, its events as inputs, gone and back again. Owns one thread."""

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path

from engine.client import Client, EventStream
from engine.domain.errors import ConduitError
from engine.domain.wire import EventBody, OrgSnapshot
from voice.dialogue.inputs import EngineBack, EngineGone, Happened, Input

_log = logging.getLogger(__name__)
_RETRY_S = 1.0
_AT_ONCE_S = 0.2
_AT_ONCE = 3  # tries without a connection between, before an engine that answers is called gone


class Link:
    """``async with`` it; ``tell`` gets inputs in the loop's own thread, each after the snapshot that shows it."""

    def __init__(self, home: Path, tell: Callable[[Input], None], fresh: Callable[[OrgSnapshot], None]) -> None:
        self._home = home
        self._tell = tell
        self._fresh = fresh
        self._closed = threading.Event()
        self._stream: EventStream | None = None
        self._thread = threading.Thread(target=self._follow, name="engine-events", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._engine: tuple[object, object] | None = None  # process and start of the one that was met last
        self.client: Client | None = None
        """The engine's client, or None while it is gone."""
        self.connected = asyncio.Event()
        """Set while the engine answers and its snapshot was handed on."""

    async def __aenter__(self) -> "Link":
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._closed.set()
        if self._stream is not None:
            self._stream.close()
        await asyncio.to_thread(self._thread.join)

    def _follow(self) -> None:
        failures = 0
        while not self._closed.is_set():
            before = self._stream
            try:
                self._connected(Client.from_home(self._home, kind="voice"))
            except ConduitError as error:
                _log.info("%s", error)
            failures = 1 if self._stream is not before else failures + 1
            if failures <= _AT_ONCE and self._still_there():
                self._closed.wait(_AT_ONCE_S)  # one line broke, or one call was refused: the engine lives
            elif not self._closed.is_set():
                self.client = None
                self._post(self.connected.clear)
                self._post(lambda: self._tell(EngineGone()))
                self._closed.wait(_RETRY_S)

    def _still_there(self) -> bool:
        """Whether the engine that was met last answers."""
        if self._closed.is_set() or self._engine is None:
            return False
        try:
            return _identity(Client.from_home(self._home, kind="voice")) == self._engine
        except ConduitError as error:
            _log.info("%s", error)
            return False

    def _connected(self, client: Client) -> None:
        engine = _identity(client)
        snapshot = client.snapshot()
        back = EngineBack(afresh=engine != self._engine)
        after = snapshot["eventId"] if back.afresh or self._stream is None else self._stream.last_id
        stream = client.events(after=after, on_disconnect=lambda error: stream.close())
        self._stream, self.client, self._engine = stream, client, engine
        self._post(lambda: self._fresh(snapshot))
        self._post(self.connected.set)
        self._post(lambda: self._tell(back))
        for event in stream:
            self._handle(client, event)

    def _handle(self, client: Client, event: EventBody) -> None:
        if event["type"] == "voice:command":  # "silence" waits for nothing
            self._post(lambda: self._tell(Happened(event)))
        elif event["type"] != "voice:state":
            snapshot = client.snapshot()
            self._post(lambda: self._fresh(snapshot))
            self._post(lambda: self._tell(Happened(event)))

    def _post(self, call: Callable[[], None]) -> None:
        assert self._loop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)


def _identity(client: Client) -> tuple[object, object]:
    """What tells one run of the engine from another."""
    health = client.health()
    return health.get("pid"), health.get("startedAt")
