"""A tiny HTTP server in the place of an engine: answers what a test lays out and keeps what it was asked."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

AGENT = {
    "id": "a-0000000001", "projectId": "p-0000000001", "projectName": "Apollo", "name": "backend", "role": None,
    "cli": "claude", "cwd": "/srv/apollo", "status": "awaiting_input", "livenessOnly": False, "frozen": True, "pid": 1,
    "sessionId": None, "sessionNumber": 1, "pendingGate": None, "queuedGates": 0, "queuedMessages": 0, "exit": None,
}  # fmt: skip
GATE = {
    "id": "g-0000000001", "agentId": AGENT["id"], "agentName": "backend", "projectId": "p-0000000001",
    "projectName": "Apollo", "prompt": "Run rm -rf build? [y/N]\x1b[8m", "command": "rm -rf build", "choices": [
        {"label": "y", "kind": "approve", "sends": "types y, Enter"}], "source": "regex", "tier": "harmful",
    "screenOnly": None, "speakable": True, "mayHaveBegun": False, "effects": [], "cwd": "/srv/apollo", "branch": None,
    "fingerprint": "f", "raisedAt": "2026-01-01T00:00:00Z", "head": True, "secretsMasked": False,
}  # fmt: skip
PLAN = {
    "id": "pl-0000000001", "number": 1, "projectId": "p-0000000001", "projectName": "Apollo", "description": "Test it",
    "targetAgent": AGENT["id"], "targetAgentName": "backend", "targetProject": "p-0000000001",
    "proposedMessage": "run the tests", "createdAt": "2026-01-01T00:00:00Z", "maybeSent": False,
}  # fmt: skip
PROJECT = {"id": "p-0000000001", "name": "Apollo", "description": None, "cwd": "/srv/apollo", "createdAt": "x"}
VOICE = {
    "connected": False, "listening": "off", "mode": None, "note": None, "heard": None, "said": None, "timingsMs": {},
    "updatedAt": None,
}  # fmt: skip


def snapshot(**changes: Any) -> dict[str, Any]:
    """A snapshot of one project with one agent that waits on one gate, and one plan."""
    agent = {**AGENT, "pendingGate": GATE}
    whole = {
        "eventId": 1, "projects": [PROJECT], "agents": [agent], "gates": [GATE], "plans": [PLAN],
        "sessions": [], "voice": VOICE,
    }  # fmt: skip
    return {**whole, **changes}


class FakeEngine:
    """``answers`` maps "METHOD path" (without query) to (status, body); ``asked`` keeps (call, body) in order."""

    def __init__(self, home: Path) -> None:
        self.answers: dict[str, tuple[int, Any]] = {"GET /org/snapshot": (200, snapshot())}
        self.asked: list[tuple[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_address[1]
        self.answers["GET /api/health"] = (
            200, {"ok": True, "version": "0", "pid": os.getpid(), "home": str(home), "startedAt": "x"},
        )  # fmt: skip
        home.mkdir(parents=True, exist_ok=True)
        (home / "engine.json").write_text(json.dumps({"pid": os.getpid(), "port": self.port, "startedAt": "x"}))
        (home / "tokens.json").write_text(json.dumps({"owner": "owner-token", "voice": "voice-token"}))

    @contextmanager
    def serving(self) -> Iterator["FakeEngine"]:
        """Serve in a thread until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def body_of(self, call: str) -> Any:
        """What the last request of this kind carried."""
        return [body for asked, body in self.asked if asked == call][-1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        engine = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                call = f"{self.command} {self.path.partition('?')[0]}"
                engine.asked.append((call, body))
                status, answer = engine.answers.get(call, (404, {"error": f"Nothing at {call}."}))
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 (the names that http.server looks for)

            def log_message(self, *_: Any) -> None:
                """Tests stay quiet."""

        return Handler
