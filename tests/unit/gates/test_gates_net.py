"""The net of a hook: whatever the engine answers, a harmful call is asked about and a harmless one passes."""

import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.gates import net

ASK = {
    "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "r"}
}
Answer = Callable[[BaseHTTPRequestHandler], None]


def body(command: str) -> bytes:
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/tmp"}).encode()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Callable[[Answer], Path]]:
    """A server that answers as a test says; the file in which the hook looks for it."""
    servers = []

    def serve(answer: Answer) -> Path:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                answer(self)

            def log_message(self, *_: object) -> None:
                """Nothing is told."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return kept(tmp_path, f"http://127.0.0.1:{server.server_port}")

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def kept(folder: Path, address: object) -> Path:
    file = folder / "hooks.json"
    file.write_text(json.dumps({"address": address, "token": "t", "run_id": "r"}))
    return file


def told(file: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body(command))))
    assert net.main([str(file)]) == 0
    return json.loads(capsys.readouterr().out)


def sends(status: int, content: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def stops_half_way(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"hook')
    handler.close_connection = True


def is_asked(answer: object) -> bool:
    assert isinstance(answer, dict)
    output = answer.get("hookSpecificOutput", {})
    return bool(output.get("permissionDecision") == "ask")


BROKEN = {
    "malformed": sends(200, b"{"),
    "empty": sends(200, b""),
    "a list": sends(200, b"[]"),
    "nothing": sends(200, b"null"),
    "no text": sends(200, b"\xff\xfe\x00"),
    "deeply nested": sends(200, b"[" * 200_000),
    "huge": sends(200, json.dumps({"x": "y" * 2_000_000}).encode()),
    "an allowance": sends(200, json.dumps({"hookSpecificOutput": {"permissionDecision": "allow"}}).encode()),
    "another object": sends(200, b'{"error": "no"}'),
    "a decision that is no object": sends(200, b'{"hookSpecificOutput": "ask"}'),
    "unauthorized": sends(401, b"{}"),
    "forbidden": sends(403, b"{}"),
    "not found": sends(404, b"{}"),
    "an error": sends(500, b"{}"),
    "moved": sends(302, b"{}"),
    "hung up": hangs_up,
    "half an answer": stops_half_way,
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
def test_engine_that_answers_wrongly_lets_nothing_harmful_through(
    answer: Answer,
    engine: Callable[[Answer], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = engine(answer)
    assert is_asked(told(file, "rm -rf ~", monkeypatch, capsys))
    assert told(file, "ls", monkeypatch, capsys) == {}


def test_engine_that_does_not_answer_in_time_lets_nothing_harmful_through(
    engine: Callable[[Answer], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    over = threading.Event()
    file = engine(lambda _handler: over.wait(30) and None)
    monkeypatch.setattr(net, "_ANSWER_LIMIT", 0.1)
    assert is_asked(told(file, "rm -rf ~", monkeypatch, capsys))
    over.set()


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "", "nonsense", None, 7, "http://127.0.0.1:notaport"])
def test_engine_that_is_nowhere_lets_nothing_harmful_through(
    address: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_asked(told(kept(tmp_path, address), "rm -rf ~", monkeypatch, capsys))


@pytest.mark.parametrize("text", [None, "", "[]", "{}", "7", '{"address": "http://127.0.0.1:1"}'])
def test_file_that_names_no_engine_lets_nothing_harmful_through(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hooks.json"
    if text is not None:
        file.write_text(text)
    assert is_asked(told(file, "rm -rf ~", monkeypatch, capsys))


@pytest.mark.parametrize("answer", [{}, ASK])
def test_answer_of_the_engine_counts_as_it_came(
    answer: dict[str, object],
    engine: Callable[[Answer], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = engine(sends(200, json.dumps(answer).encode()))
    assert told(file, "rm -rf ~", monkeypatch, capsys) == answer
    assert told(file, "ls", monkeypatch, capsys) == answer
