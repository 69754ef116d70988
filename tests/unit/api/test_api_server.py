"""The server: this machine only, a taken port is explained, tokens live in one private file."""

import json
import os
import socket
import stat
from pathlib import Path

import pytest
from api_rig import OWNER, VOICE, running

from engine import client
from engine.api.auth.tokens import Identity, Tokens
from engine.api.server import Announcement, ApiServer
from engine.domain.errors import BadRequest, Unavailable
from engine.storage.layout import Layout


def test_port_that_is_taken_is_named_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Unavailable) as caught, running(port):
            pass
    sentence = str(caught.value)
    assert f"Port {port}" in sentence
    assert f"process {os.getpid()}" in sentence
    assert f"--port {port + 1}" in sentence


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_address_beyond_this_machine_is_refused(host: str) -> None:
    with pytest.raises(BadRequest, match="loopback"):
        ApiServer(None, None, host=host)  # type: ignore[arg-type]


def test_server_can_be_started_again_on_the_same_port_at_once() -> None:
    with running() as first:
        port = first.port
        assert first.ask("GET", "/api/health")[0] == 200
    with running(port) as second:
        assert second.ask("GET", "/api/health")[0] == 200


def test_tokens_are_made_once_and_only_their_owner_can_read_them(tmp_path: Path) -> None:
    first, second = Tokens.load(tmp_path), Tokens.load(tmp_path)
    path = tmp_path / "tokens.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_text())
    assert first.owner == second.owner == kept["owner"]
    assert first.identify(kept["voice"]) == Identity("voice")
    assert first.identify(kept["owner"]) == Identity("owner")
    assert kept["owner"] != kept["voice"]
    for wrong in ("", kept["owner"][:-1], kept["owner"] + "x", kept["owner"].upper(), "é\ud800"):
        assert first.identify(wrong) is None


def test_tokens_that_others_could_read_are_replaced(tmp_path: Path) -> None:
    old = Tokens.load(tmp_path)
    (tmp_path / "tokens.json").chmod(0o644)
    new = Tokens.load(tmp_path)
    assert new.identify(old.owner) is None
    assert stat.S_IMODE((tmp_path / "tokens.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"owner": "x", "voice": "y"}', json.dumps({"owner": OWNER, "voice": OWNER})]
)
def test_damaged_tokens_stop_the_start_with_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(Unavailable, match="Delete it"):
        Tokens.load(tmp_path)
    assert path.read_text() == content


def test_announcement_tells_where_and_takes_it_back(tmp_path: Path) -> None:
    told = Announcement(tmp_path)
    told.tell(port=4321, started_at="now", event_seed=7)
    body = json.loads((tmp_path / "engine.json").read_text())
    assert body == {"pid": os.getpid(), "port": 4321, "startedAt": "now", "eventSeed": 7}
    assert stat.S_IMODE((tmp_path / "engine.json").stat().st_mode) == 0o600
    told.withdraw(event_seed=7)
    assert json.loads((tmp_path / "engine.json").read_text())["pid"] is None


def test_client_and_engine_mean_the_same_files(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert (layout.tokens.name, layout.engine_json.name) == (client.TOKENS_FILE, client.ENGINE_FILE)
    assert layout.tokens.parent == layout.engine_json.parent == tmp_path
    assert VOICE != OWNER
