"""The process behind a connection: what runs inside an agent may not use a person's token."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from api_rig import OWNER, VOICE, Rig, running

from engine.api.auth.caller import Connection, ProcPeers, PsutilPeers, agent_behind
from engine.domain.errors import Forbidden

# Told its errand on stdin: a token on a command line could be read by others.
ASKER = """
import http.client, json, sys
errand = json.load(sys.stdin)
connection = http.client.HTTPConnection("127.0.0.1", errand["port"], timeout=10)
connection.request(errand["method"], errand["path"], headers=errand["headers"])
print(connection.getresponse().status)
"""


@pytest.fixture
def rig() -> Iterator[Rig]:
    with running() as one:
        yield one


def ask_from_child(
    rig: Rig, run_id: str | None, token: str | None, path: str = "/org/snapshot", extra: dict[str, str] | None = None
) -> int:
    """The status that a real process gets; with a run it counts as one of that agent's tree."""
    headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **(extra or {})}
    errand = {"port": rig.port, "method": "GET", "path": path, "headers": headers}
    child = subprocess.Popen([sys.executable, "-c", ASKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if run_id is not None:
        rig.trees[child.pid] = run_id
    out, _ = child.communicate(json.dumps(errand), timeout=20)
    rig.trees.clear()
    return int(out)


def test_process_of_an_agent_gets_403_with_every_token_of_a_person(rig: Rig) -> None:
    for path in ("/org/snapshot", "/", "/page/app.js", "/api/health", "/api/events", "/nowhere"):
        for token in (OWNER, VOICE, None, "unknown"):
            assert ask_from_child(rig, "run-1", token, path) == 403, (path, token)
    assert rig.service.calls == []


def test_same_process_outside_every_tree_is_let_in(rig: Rig) -> None:
    assert ask_from_child(rig, None, OWNER) == 200
    rig.trees[os.getppid()] = "run-1"  # an agent runs, but it is not the one that asks
    assert rig.ask("GET", "/org/snapshot")[0] == 200


def test_agent_may_reach_health_with_its_own_token_only(rig: Rig) -> None:
    own, other = rig.tokens.mint_agent("run-1"), rig.tokens.mint_agent("run-2")
    assert ask_from_child(rig, "run-1", own, "/api/health") == 200
    assert ask_from_child(rig, "run-1", other, "/api/health") == 403
    assert ask_from_child(rig, "run-1", own) == 403
    assert ask_from_child(rig, "run-1", own, "/org/hooks/run-1/x") == 405  # let through; it takes POST
    assert ask_from_child(rig, "run-1", other, "/org/hooks/run-2/x") == 403


def test_forwarding_headers_do_not_hide_the_process(rig: Rig) -> None:
    spoof = {
        "X-Forwarded-For": "10.0.0.1",
        "X-Forwarded-Proto": "https",
        "Forwarded": "for=10.0.0.1",
        "X-Real-IP": "1.1.1.1",
    }
    assert ask_from_child(rig, "run-1", OWNER, extra=spoof) == 403
    assert ask_from_child(rig, None, OWNER, extra=spoof) == 200  # nor do they say anything about anyone else


def test_process_that_sends_and_is_gone_is_not_taken_for_a_stranger(rig: Rig) -> None:
    """Its socket has no owner any more when the engine looks; what cannot be told is refused."""
    lines = f"POST /org/inject HTTP/1.1\r\nHost: 127.0.0.1:{rig.port}\r\nAuthorization: Bearer {OWNER}\r\n"
    body = b'{"project":"p-1","agent":"a-1","message":"go"}'
    head = f"{lines}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", rig.port)) as sock:
            rig.do(lambda: _send_and_leave(sock, head + body))  # the loop reads it only after the socket is closed
    assert rig.ask("GET", "/api/health")[0] == 200
    assert rig.service.named("inject") == []


def _send_and_leave(sock: socket.socket, data: bytes) -> None:
    sock.sendall(data)
    sock.close()


class Pair:
    """Two ends of a connection within this process."""

    def __init__(self, host: str = "127.0.0.1", to: str | None = None) -> None:
        family = socket.AF_INET6 if ":" in (to or host) else socket.AF_INET
        self.listener = socket.create_server((host, 0))
        self.client = socket.socket(family)
        self.client.connect((to or host, self.listener.getsockname()[1]))
        self.server, peer = self.listener.accept()
        self.connection = Connection(client=(peer[0], peer[1]), server=self.server.getsockname()[:2])

    def close(self) -> None:
        for end in (self.client, self.server, self.listener):
            end.close()


@pytest.fixture(params=["127.0.0.1", "::ffff:127.0.0.1"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    made = Pair(to=request.param)
    yield made
    made.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_proc_finds_the_owner_under_either_address_family(pair: Pair) -> None:
    peers = ProcPeers()
    assert peers.held_by(pair.connection, [os.getppid(), os.getpid()]) == os.getpid()
    assert peers.held_by(pair.connection, [os.getppid(), 2**30]) is None


def test_psutil_finds_the_same_owner(pair: Pair) -> None:
    peers = PsutilPeers()
    assert peers.held_by(pair.connection, [os.getppid(), os.getpid()]) == os.getpid()
    assert peers.held_by(pair.connection, [os.getppid(), 2**30]) is None


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_connection_that_is_nobodys_is_refused(pair: Pair) -> None:
    with pytest.raises(Forbidden):
        ProcPeers().held_by(Connection(client=("127.0.0.1", 1), server=pair.connection.server), [])
    pair.client.close()
    with pytest.raises(Forbidden):
        ProcPeers().held_by(pair.connection, [])


def test_process_that_forks_during_the_look_up_is_found(pair: Pair) -> None:
    """The tree is read again until nothing new is in it."""
    looks: list[Mapping[int, str]] = [{os.getppid(): "run-1"}, {os.getpid(): "run-1", os.getppid(): "run-1"}]
    assert agent_behind(pair.connection, lambda: looks.pop(0) if len(looks) > 1 else looks[0], ProcPeers()) == "run-1"


class UnreadableTree(ProcPeers):
    """Every process of the tree belongs to another user."""

    def _holds(self, pid: int, wanted: str) -> bool:
        raise PermissionError(13, "Permission denied", f"/proc/{pid}/fd")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_tree_process_of_another_user_does_not_hide_a_foreign_socket(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that may use sudo asks as another user: its files are closed to the engine, its user id is not."""
    assert UnreadableTree().held_by(pair.connection, [os.getpid()]) is None
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    with pytest.raises(Forbidden):
        UnreadableTree().held_by(pair.connection, [os.getpid()])


def test_table_of_connections_that_cannot_be_read_lets_nobody_in(tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        ProcPeers(tmp_path).held_by(Connection(("127.0.0.1", 5), ("127.0.0.1", 6)), [])
