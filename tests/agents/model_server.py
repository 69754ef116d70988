"""A scripted model on loopback that speaks the four wire formats of the agent CLIs, and records what it was asked.

``with ModelServer() as model:`` serves at ``model.url``. What it answers stands in the prompts (:mod:`agents.script`):
``"please SHELL{rm -rf build}"``. ``model.turns()`` are the requests of the agents' own turns (no titles, no routers),
newest last, each with the prompt, the tool results since then, the whole body and whether the agent hung up.
``model.down()`` refuses every connection and cuts the open ones; ``model.up()`` serves again at the same address.
``python -m agents.model_server`` (in ``tests``) serves until it is interrupted, for trying a CLI by hand.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agents.script import Step, play
from agents.wires import anthropic, chat, gemini, responses
from agents.wires.common import Chunk, Json, Request, Wire

_BODY = 64 * 1024 * 1024  # bytes
_SIDE = Step(say="Scripted title")


@dataclass(slots=True)
class Seen:
    """One request: what was asked, and how it went. ``dropped``: the agent hung up before the answer was whole."""

    wire: str
    path: str
    request: Request
    body: Json
    headers: dict[str, str]
    at: float
    step: Step = field(default_factory=Step)
    finished: bool = False
    dropped: bool = False


class ModelServer:
    """Serves in threads of its own from ``__enter__`` to ``__exit__``."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        self._seen: list[Seen] = []

    def __enter__(self) -> ModelServer:
        self.up()
        return self

    def __exit__(self, *exc: object) -> None:
        self.down()

    @property
    def url(self) -> str:
        """The base address, without a path."""
        return f"http://127.0.0.1:{self._port}"

    def up(self) -> None:
        """Serve (again)."""
        if self._server is None:
            self._server = _Server(("127.0.0.1", self._port), self)
            self._port = self._server.server_address[1]
            self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
            self._thread.start()

    def down(self) -> None:
        """Refuse connections and cut the open ones."""
        server, self._server = self._server, None
        if server is not None and self._thread is not None:
            server.shutdown()
            self._thread.join()
            server.cut()
            server.server_close()

    def seen(self) -> list[Seen]:
        """Every request so far."""
        with self._changed:
            return list(self._seen)

    def turns(self, containing: str = "") -> list[Seen]:
        """The requests of agents' own turns whose prompt contains a text."""
        return [one for one in self.seen() if not one.request.side and containing in one.request.prompt]

    def wait(self, look: Callable[[list[Seen]], Any], what: str, limit: float = 60.0) -> Any:
        """Wait until ``look`` at the turns gives something; AssertionError naming ``what`` when it never does."""
        end = time.monotonic() + limit
        with self._changed:
            while True:
                found = look([one for one in self._seen if not one.request.side])
                if found:
                    return found
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"the model server waited {limit:g} s in vain for {what}")
                self._changed.wait(left)

    def note(self, seen: Seen) -> None:
        """Record a request."""
        with self._changed:
            self._seen.append(seen)
            self._changed.notify_all()

    def over(self, seen: Seen, *, dropped: bool) -> None:
        """Record how a request went."""
        with self._changed:
            seen.finished, seen.dropped = not dropped, dropped
            self._changed.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], model: ModelServer) -> None:
        self.model = model
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""

    def cut(self) -> None:
        """End every open connection."""
        self.stopping.set()
        with self._open_lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:  # it had ended by itself
                    continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: what matters is recorded."""

    def do_HEAD(self) -> None:
        self._head(200, "text/plain", 0)

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(min(int(self.headers.get("content-length", 0)), _BODY)) or b"{}")
        path = self.path.split("?")[0]
        wire = _wire(path)
        if path.endswith((":countTokens", "/count_tokens")):
            self._json(200, {"totalTokens": 10, "input_tokens": 10})
        elif wire is None:
            self._json(404, {"error": {"message": f"the scripted model has no {path}"}})
        else:
            self._play(wire, body, path)

    def _play(self, wire: Wire, body: Json, path: str) -> None:
        request = wire.read(body)
        plain = path.endswith(":generateContent")
        step = _SIDE if request.side or plain else play(request.prompt, len(request.results))
        seen = Seen(wire.name, self.path, request, body, dict(self.headers.items()), time.monotonic(), step)
        self.server.model.note(seen)
        dropped = True
        try:
            self._answer(wire, step, seen, plain=plain)
            dropped = False
        except OSError:  # the agent hung up, or the server went down
            self.close_connection = True
        finally:
            self.server.model.over(seen, dropped=dropped)

    def _answer(self, wire: Wire, step: Step, seen: Seen, *, plain: bool) -> None:
        self._pause(step.think)
        if step.error is not None:
            self._json(step.error, wire.error(step.error))
        elif plain:
            self._json(200, gemini.plain(seen.body))
        elif wire is chat.WIRE and not seen.body.get("stream"):
            self._json(200, chat.whole(step, seen.request, seen.body))
        else:
            self._stream(wire.stream(step, seen.request, seen.body))

    def _stream(self, chunks: Iterator[Chunk]) -> None:
        self.close_connection = True
        self._head(200, "text/event-stream", None)
        for chunk in chunks:
            if isinstance(chunk, float):
                self._pause(chunk)
            else:
                self.wfile.write(chunk)
                self.wfile.flush()

    def _pause(self, seconds: float) -> None:
        """Wait; OSError when the agent hangs up or the server goes down meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.server.stopping.wait(min(left, 0.05)) or self._hung_up():
                raise ConnectionAbortedError("cut")

    def _hung_up(self) -> bool:
        try:
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def _json(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self._head(status, "application/json", len(data))
        self.wfile.write(data)

    def _head(self, status: int, kind: str, length: int | None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        if length is None:
            self.send_header("connection", "close")
        else:
            self.send_header("content-length", str(length))
        self.end_headers()


def _wire(path: str) -> Wire | None:
    if path.endswith("/messages"):
        return anthropic.WIRE
    if path.endswith("/responses"):
        return responses.WIRE
    if path.endswith("/chat/completions"):
        return chat.WIRE
    return gemini.WIRE if ":streamGenerateContent" in path or ":generateContent" in path else None


def main() -> None:
    """Serve and print the address."""
    with ModelServer() as model:
        print(model.url, flush=True)
        while True:
            model.wait(lambda turns: None, "a signal", limit=3600.0)


if __name__ == "__main__":
    main()
