"""The client: the service's methods over the wire, the engine's own sentences, streams that come back."""

import inspect
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from api_rig import OWNER, VOICE, Rig, running
from fake_service import gate

from engine.api.ports import ServicePort
from engine.client import Client
from engine.domain.errors import (
    BadRequest,
    ConduitError,
    Conflict,
    ConsentRefused,
    Forbidden,
    NotFound,
    NotReady,
    Unauthorized,
    Unavailable,
)

WHO = {"project_id": "p-1", "agent_id": "a-1"}


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with running() as one:
        yield one


CALLS: list[tuple[str, dict[str, object]]] = [
    ("snapshot", {}),
    ("list_projects", {}),
    ("create_project", {"name": "Apollo", "cwd": "/tmp", "description": None}),
    ("get_project", {"project_id": "p-1"}),
    ("update_project", {"project_id": "p-1", "name": "New"}),
    ("delete_project", {"project_id": "p-1", "remove_data": True}),
    ("list_agents", {"project_id": "p-1"}),
    (
        "create_agent",
        {"project_id": "p-1", "name": "w", "cli": "c", "role": None, "cwd": "/", "command": ["sh"], "flags": None},
    ),
    ("get_agent", WHO),
    ("update_agent", {**WHO, "flags": ["-x"]}),
    ("delete_agent", WHO),
    ("start_agent", WHO),
    ("stop_agent", WHO),
    ("restart_agent", WHO),
    ("interrupt_agent", WHO),
    ("output", {**WHO, "lines": 7}),
    ("terminal_keys", {**WHO, "data": b"\x1b[A\x00"}),
    ("terminal_size", {**WHO, "rows": 30, "cols": 90}),
    ("list_plans", {"project_id": "p-1"}),
    ("create_plan", {"project": "p-1", "agent": "a-1", "description": "d", "message": "m"}),
    ("chat", {"project_id": "p-1", "limit": 3}),
    ("post_chat", {"project_id": "p-1", "text": "é\n"}),
    ("audit", {"project_id": "p-1", "limit": 3}),
    ("inject", {"project": "p-1", "agent": "a-1", "message": "go", "message_id": "m-7"}),
    ("cancel_message", {"message_id": "m-7"}),
    ("broadcast", {"project": "p-1", "message": "halt"}),
    ("policy", {}),
    ("confirm_policy", {"digests": ["a" * 64]}),
    ("sessions", {"limit": 3, "archived": True}),
    ("resume_session", {"session": "S-12", "at": "2026-01-31T08:00:00+01:00"}),
    ("halt_session", {"session": "S-12"}),
    ("cancel_session", {"session": "S-12"}),
    ("archive_session", {"session": "S-12", "archived": False}),
    ("delete_session", {"session": "S-12"}),
    ("attach_file", {"session": "S-12", "name": "a.txt", "data": b"\x00"}),
    ("verify_session", {"session": "S-12"}),
    ("session", {"session": "S-12"}),
    ("documents", {"project_id": "p-1"}),
    ("document", {"project_id": "p-1", "document_id": "d-1"}),
    ("publish_document", {"project_id": "p-1", "title": "T", "file": "a", "data": b"\x00", "document_id": "d-1"}),
    ("document_content", {"project_id": "p-1", "document_id": "d-1", "version": 2}),
    ("voice_session", {}),
    ("voice_played", {"session": "v-1", "reading_id": "r-1"}),
    (
        "voice_heard",
        {"session": "v-1", "text": "I approve", "confidence": 0.9, "receipt": "rc", "word_scores": {"tango": -1.5}},
    ),
    ("voice_command", {"action": "listen"}),
    ("voice_state", {"listening": "hearing", "timings_ms": {"vad": 1.0}}),
]


@pytest.mark.parametrize(("method", "keywords"), CALLS, ids=[name for name, _ in CALLS])
def test_call_reaches_the_service_as_it_was_made(rig: Rig, method: str, keywords: dict[str, object]) -> None:
    getattr(rig.client(via="cli"), method)(**keywords)
    arrived = rig.service.named(method)[-1]
    assert {name: value for name, value in arrived.items() if name != "via"} == keywords
    assert arrived.get("via", "cli") == "cli"


def test_client_has_every_method_of_the_service() -> None:
    wanted = {name for name, _ in inspect.getmembers(ServicePort, inspect.isfunction) if not name.startswith("_")}
    assert {name for name in wanted if not hasattr(Client, name)} == set()


def test_faults_arrive_as_what_they_mean_with_the_engines_sentence(rig: Rig) -> None:
    owner, voice = rig.client(), rig.client(VOICE, via="voice")
    rig.service.gates, rig.service.decided = [gate()], {}
    with pytest.raises(ConsentRefused, match="not read to you") as refused:
        voice.resolve(**WHO, gate_id="g-1", decision="approve")
    assert refused.value.condition == "not_read"
    assert owner.resolve(**WHO, gate_id="g-1", decision="reject")["via"] == "cli"
    with pytest.raises(Conflict, match="faster") as lost:
        owner.resolve(**WHO, gate_id="g-1", decision="approve")
    assert lost.value.details["decision"] == "reject"
    with pytest.raises(NotFound, match="p-404"):
        owner.get_project(project_id="p-404")
    with pytest.raises(BadRequest, match="too long"):
        owner.inject(project="p-1", agent="a-1", message="x" * 1_000_000)
    with pytest.raises(BadRequest, match="too long to send"):
        owner.inject(project="p-1", agent="a-1", message="x" * 3_000_000)
    with pytest.raises(Forbidden, match="voice may not"):
        voice.delete_project(project_id="p-1")
    with pytest.raises(Unauthorized):
        rig.client("nobody").snapshot()
    with pytest.raises(BadRequest):
        owner.get_project(project_id="../../x")


def test_no_engine_says_how_to_start_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    with pytest.raises(Unavailable, match="conduit up"):
        Client(f"http://127.0.0.1:{port}", OWNER).snapshot()
    with pytest.raises(Unavailable, match="conduit up"):
        Client.from_home(tmp_path)
    (tmp_path / "engine.json").write_text(json.dumps({"pid": 1, "port": port}))
    with pytest.raises(Unavailable, match="conduit up"):
        Client.from_home(tmp_path)


def test_engine_that_is_silent_is_a_sentence_and_not_a_hang() -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        silent = Client(f"http://127.0.0.1:{sock.getsockname()[1]}", OWNER, timeout=0.05)
        with pytest.raises(Unavailable, match="in time"):
            silent.snapshot()


@pytest.mark.parametrize("url", ["http://evil.example:80", "https://127.0.0.1:3200", "http://127.0.0.1", "127.0.0.1:1"])
def test_token_goes_to_no_other_machine(url: str) -> None:
    with pytest.raises(BadRequest):
        Client(url, OWNER)


def test_client_of_a_home_finds_its_engine_and_its_token(tmp_path: Path) -> None:
    with running(home=tmp_path) as rig:
        rig.service.gates = [gate()]
        voice = Client.from_home(tmp_path, "voice")
        assert voice.resolve(**WHO, gate_id="g-1", decision="reject")["via"] == "voice"
        owner = Client.from_home(tmp_path)
        code = owner.page_link().removeprefix(f"{rig.url}/#link=")
        assert rig.ask("POST", "/api/auth/exchange", {"code": code}, token=None)[1]["token"] == rig.tokens.owner
        told = json.loads((tmp_path / "engine.json").read_text())
        (tmp_path / "engine.json").write_text(json.dumps({**told, "pid": 1}))
        with pytest.raises(Unavailable, match="Another engine"):
            Client.from_home(tmp_path)
        (tmp_path / "engine.json").write_text(json.dumps(told))
    with pytest.raises(Unavailable, match="No engine runs"):
        Client.from_home(tmp_path)


def test_one_client_serves_many_threads(rig: Rig) -> None:
    rig.service.gates = []
    one = rig.client()
    with ThreadPoolExecutor(8) as pool:
        messages = list(
            pool.map(lambda n: one.inject(project="p", agent="x", message="m", message_id=f"m-{n}"), range(60))
        )
    assert [told["messageId"] for told in messages] == [f"m-{n}" for n in range(60)]


def test_terminal_gives_raw_bytes(rig: Rig) -> None:
    assert b"".join(rig.client().terminal(**WHO, after=3)) == b"\x1b[2Jhello \xff\x00world"
    assert rig.service.named("terminal")[-1]["after"] == 3
    with pytest.raises(NotFound):
        rig.client().terminal(project_id="p-1", agent_id="a-404")


def test_events_go_on_after_the_engine_came_back() -> None:
    happened: list[str] = []
    seen: list[tuple[str, object]] = []
    with running() as first:
        port = first.port
        start = first.do(lambda: first.hub.publish("org:changed", {"n": 0})).id
        first.do(lambda: first.hub.publish("org:changed", {"n": 1}))
        stream = first.client().events(
            start, on_connect=lambda: happened.append("up"), on_disconnect=lambda error: happened.append(str(error))
        )
        events = iter(stream)
        seen.append((first_event := next(events))["type"] and (first_event["type"], first_event["data"].get("n")))
    with running(port) as second:
        second.do(lambda: second.clock.advance(1))
        event = next(events)
        seen.append((event["type"], event["data"].get("n")))
        second.do(lambda: second.hub.publish("org:changed", {"n": 2}))
        event = next(events)
        seen.append((event["type"], event["data"].get("n")))
        stream.close()
        assert list(events) == []
    assert seen == [("org:changed", 1), ("stream:reset", None), ("org:changed", 2)]
    assert happened[0] == happened[-1] == "up"
    assert any("engine" in sentence for sentence in happened[1:-1])


def test_stream_is_closed_from_another_thread_while_it_waits(rig: Rig) -> None:
    connected = threading.Event()
    stream = rig.client().events(on_connect=connected.set)
    reader = threading.Thread(target=lambda: list(stream))
    reader.start()
    assert connected.wait(10)
    stream.close()
    reader.join(10)
    assert not reader.is_alive()


def test_stream_with_a_refused_token_ends_with_the_reason(rig: Rig) -> None:
    with pytest.raises(Unauthorized):
        next(iter(rig.client("nobody").events()))
    assert issubclass(Unauthorized, ConduitError)


def test_client_imports_none_of_the_heavy_libraries() -> None:
    code = "import sys, engine.client; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "fastapi", "starlette", "uvicorn", "uuid6", "psutil", "asyncio"} & set(loaded)


def test_what_a_cli_lacks_arrives_as_fields(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = {"command": "claude", "variables": "KEY", "install": "npm install -g it"}

    async def not_ready(**_: object) -> None:
        raise NotReady("Claude Code needs the command claude.", lacks)

    monkeypatch.setattr(rig.service, "start_agent", not_ready)
    with pytest.raises(NotReady, match="needs the command") as fault:
        rig.client().start_agent(**WHO)
    assert fault.value.details == lacks
