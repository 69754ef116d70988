"""A whole API on a free port of this machine, in a thread of its own, over a service that stays in memory."""

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from fake_service import FakeService

from engine.api.app import About, Access, create_app
from engine.api.auth.tokens import Tokens
from engine.api.events import EventHub
from engine.api.server import Announcement, ApiServer
from engine.client import Client
from engine.ports.clock import FakeClock

OWNER = "owner-" + "o" * 40
VOICE = "voice-" + "v" * 40
T = TypeVar("T")


@dataclass
class Rig:
    """The running API. ``trees`` is the process trees of the agents that it believes in."""

    port: int
    service: FakeService
    hub: EventHub
    tokens: Tokens
    clock: FakeClock
    loop: asyncio.AbstractEventLoop
    trees: dict[int, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, token: str = OWNER, **options: Any) -> Client:
        return Client(self.url, token, **options)

    def do(self, work: Callable[[], T]) -> T:
        """Run something where the service lives, and wait for it."""

        async def run() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(10)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = OWNER,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any, dict[str, str]]:
        """One request as it is: (status, JSON or bytes, headers with small letters)."""
        sent = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, data, {**sent, **(headers or {})})
            response = connection.getresponse()
            raw = response.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in response.getheaders()}
        return response.status, json.loads(raw) if "json" in found.get("content-type", "") else raw, found


@contextmanager
def running(port: int = 0, *, heartbeat_s: float = 15.0, home: Path | None = None) -> Iterator[Rig]:
    """Serve until the block ends."""
    ready: list[Rig | BaseException] = []
    started, stop = threading.Event(), threading.Event()

    async def serve() -> None:
        clock = FakeClock()
        tokens = Tokens.load(home) if home else Tokens(OWNER, VOICE)
        floor = Announcement(home).event_floor() if home else 0
        hub = EventHub(clock, floor=floor)
        service = FakeService(hub, clock)
        trees: dict[int, str] = {}
        about = About(version="1.2.3", home=str(home or "/home/dev/.conduit"), started_at="2026-01-01T00:00:00.000Z")
        app = create_app(service, Access.of(tokens, clock, lambda: trees), hub, about, heartbeat_s=heartbeat_s)
        server = ApiServer(app, hub, port=port)
        real = await server.start()
        if home:
            Announcement(home).tell(port=real, started_at=about.started_at, event_seed=hub.seed)
        ready.append(Rig(real, service, hub, tokens, clock, asyncio.get_running_loop(), trees))
        started.set()
        await asyncio.to_thread(stop.wait)
        await server.stop()
        if home:
            Announcement(home).withdraw(event_seed=hub.seed)

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:  # noqa: BLE001  (handed to the test's thread)
            ready.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=run)
    thread.start()
    started.wait(20)
    try:
        first = ready[0]
        if isinstance(first, BaseException):
            raise first
        yield first
    finally:
        stop.set()
        thread.join(20)
        failed = [one for one in ready[1:] if isinstance(one, BaseException)]
        assert not thread.is_alive(), "the server did not end"
        assert not failed, failed
