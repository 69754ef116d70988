"""The event stream: nothing lost without saying so, resumable, and no id twice."""

import asyncio
import json
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from api_rig import OWNER, Rig, running

from engine.api.events import KEPT, EventHub, Reader
from engine.api.server import Announcement
from engine.ports.clock import FakeClock


async def take(reader: object, count: int) -> list[tuple[str, object]]:
    events = [await asyncio.wait_for(anext(reader), 5) for _ in range(count)]  # type: ignore[call-overload]
    return [(event.type, event.data.get("n")) for event in events]


async def test_reader_gets_what_comes_after_its_id_in_order() -> None:
    hub = EventHub(FakeClock())
    first = hub.publish("org:changed", {"n": 1})
    for n in (2, 3):
        hub.publish("org:changed", {"n": n})
    reader = hub.subscribe(first.id)
    hub.publish("org:changed", {"n": 4})
    assert await take(reader, 3) == [("org:changed", 2), ("org:changed", 3), ("org:changed", 4)]


async def test_reader_without_an_id_gets_only_what_is_new() -> None:
    hub = EventHub(FakeClock())
    hub.publish("org:changed", {"n": 1})
    reader = hub.subscribe()
    hub.publish("org:changed", {"n": 2})
    assert await take(reader, 1) == [("org:changed", 2)]


@pytest.mark.parametrize("which", ["of an earlier engine", "of the future", "fallen out", "zero"])
async def test_id_that_is_not_kept_says_start_over(which: str) -> None:
    hub = EventHub(FakeClock())
    first = hub.publish("org:changed", {"n": 0})
    for n in range(1, KEPT + 2):
        hub.publish("org:changed", {"n": n})
    asked = {"of an earlier engine": first.id - 9, "of the future": hub.last_id + 9, "fallen out": first.id, "zero": 0}
    reader = hub.subscribe(asked[which])
    hub.publish("org:changed", {"n": "new"})
    assert await take(reader, 2) == [("stream:reset", None), ("org:changed", "new")]


async def test_oldest_id_that_can_be_resumed_loses_nothing() -> None:
    hub = EventHub(FakeClock(), kept=3)
    ids = [hub.publish("org:changed", {"n": n}).id for n in range(5)]
    assert await take(hub.subscribe(ids[1]), 3) == [("org:changed", 2), ("org:changed", 3), ("org:changed", 4)]
    assert await take(hub.subscribe(ids[0]), 1) == [("stream:reset", None)]


async def test_slow_reader_is_told_so_and_keeps_nobody_waiting() -> None:
    hub = EventHub(FakeClock(), queue=3)
    slow, quick = hub.subscribe(), hub.subscribe()
    for n in range(5):
        hub.publish("org:changed", {"n": n})
        await anext(quick)
    assert await take(slow, 2) == [("stream:reset", None), ("org:changed", 4)]


async def test_end_of_the_engine_ends_every_reader() -> None:
    hub = EventHub(FakeClock())
    reader = hub.subscribe()
    hub.publish("org:changed", {"n": 1})
    hub.close()
    assert await take(reader, 1) == [("org:changed", 1)]
    for ended in (reader, hub.subscribe()):
        with pytest.raises(StopAsyncIteration):
            await anext(ended)


def test_ids_never_come_twice_even_when_the_clock_goes_back(tmp_path: Path) -> None:
    clock, told = FakeClock(), Announcement(tmp_path)
    latest = 0
    for _ in range(4):
        hub = EventHub(clock, floor=told.event_floor())
        told.tell(port=1, started_at="", event_seed=hub.seed)
        first = hub.publish("org:changed", {}).id
        assert first > latest
        latest = [hub.publish("org:changed", {}).id for _ in range(50)][-1]
        assert latest < 2**53
        clock._wall -= timedelta(days=30)


class Stream:
    """The bytes of the stream as they come."""

    def __init__(self, rig: Rig, query: str = "", header: str = "") -> None:
        self.sock = socket.create_connection(("127.0.0.1", rig.port), timeout=10)
        lines = f"Host: 127.0.0.1:{rig.port}\r\nAuthorization: Bearer {OWNER}\r\n{header}\r\n"
        self.sock.sendall(f"GET /api/events{query} HTTP/1.1\r\n{lines}".encode())
        self.got = ""

    def until(self, words: str) -> str:
        while words not in self.got:
            piece = self.sock.recv(65536)
            assert piece, self.got
            self.got += piece.decode()
        return self.got


def test_stream_sends_heartbeats_and_whole_events() -> None:
    with running(heartbeat_s=0.02) as rig:
        stream = Stream(rig)
        stream.until(": still here\n\n")
        event = rig.do(lambda: rig.hub.publish("gate:triggered", {"prompt": "two\n\nlines\r\nid: 7"}))
        got = stream.until(f"id: {event.id}\n")
        got = stream.until('"}}\n\n')
        data = got[got.index("data: ") + 6 :].split("\n\n")[0]
        assert json.loads(data) == {
            "id": event.id,
            "type": "gate:triggered",
            "ts": event.ts,
            "data": {"prompt": "two\n\nlines\r\nid: 7"},
        }
        stream.sock.close()


def test_stream_resumes_by_header_before_address() -> None:
    with running() as rig:
        ids = [rig.do(lambda n=n: rig.hub.publish("org:changed", {"n": n})).id for n in range(3)]
        one = Stream(rig, f"?after={ids[0]}", f"Last-Event-ID: {ids[1]}\r\n")
        got = one.until(f"id: {ids[2]}\n")
        assert f"id: {ids[1]}\n" not in got
        old = Stream(rig, "?after=5")
        assert "stream:reset" in old.until("event: stream:reset")
        assert "400" in Stream(rig, "", "Last-Event-ID: nonsense\r\n").until("\r\n\r\n")
        assert rig.do(lambda: len(rig.hub._readers)) == 2
        assert one.sock.fileno() >= 0 <= old.sock.fileno()
    # leaving the block has ended the open streams: the server stopped within its grace


def test_reader_that_hangs_up_is_forgotten() -> None:
    with running(heartbeat_s=0.01) as rig:
        stream = Stream(rig)
        stream.until(": still here")
        stream.sock.close()
        asyncio.run_coroutine_threadsafe(_until_forgotten(rig), rig.loop).result(10)


async def _until_forgotten(rig: Rig) -> None:
    forgotten = asyncio.Event()
    drop = rig.hub.drop

    def dropping(reader: Reader) -> None:
        drop(reader)
        forgotten.set()

    rig.hub.drop = dropping  # type: ignore[method-assign]
    if rig.hub._readers:
        await forgotten.wait()
    assert not rig.hub._readers
