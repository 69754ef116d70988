"""HTTP to the engine on this machine: requests, streams that can be hung up, and faults as what they mean.

Standard library only, so that a command starts quickly. One connection a request.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from urllib.parse import urlencode

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.domain.wire import EventBody

BODY_LIMIT: Final = 2_000_000  # bytes; the engine refuses more
STREAM_SILENCE_S: Final = 45.0  # three heartbeats missed: the stream is dead
START: Final = "Start it with: conduit up"
_BACKOFF_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)

_BY_STATUS: Final[dict[int, type[ConduitError]]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: BadRequest,
    413: BadRequest,
    503: Unavailable,
}


class Transport:
    """Requests to one engine with the same headers. ``timeout`` is in seconds, for connecting and for each read."""

    def __init__(self, base_url: str, headers: dict[str, str], timeout: float) -> None:
        self._base_url = base_url
        self._address = _loopback(base_url)
        self._headers = {**headers, "Connection": "close"}
        self._timeout = timeout

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: dict[str, Any] | None = None,
        timeout: float | None = None,
    ) -> object:
        target = f"{path}?{urlencode(query)}" if query else path
        exchange = self.open(method, target, body, timeout)
        try:
            return json.loads(exchange.response.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _broken(self._base_url, error) from error
        finally:
            exchange.close()

    def open(self, method: str, target: str, body: object, timeout: float | None) -> Exchange:
        """Send a request; an answer that is not 200 is raised as what it means."""
        data = None if body is None else json.dumps(body).encode()
        if data is not None and len(data) > BODY_LIMIT:
            raise BadRequest(f"This is too long to send: at most {BODY_LIMIT:,} bytes.")
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(*self._address, timeout=timeout or self._timeout)
        try:
            connection.request(method, target, data, headers)
            sock = connection.sock  # the response takes it over, so it is kept now
            response = connection.getresponse()
            if response.status != 200:
                raise _fault(response.status, response.read(1_000_000))
        except ConduitError:
            connection.close()
            raise
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _broken(self._base_url, error) from error
        return Exchange(connection, sock, response)


class Exchange(NamedTuple):
    """One request under way: its connection, and the socket that its answer comes over."""

    connection: http.client.HTTPConnection
    sock: socket.socket
    response: http.client.HTTPResponse

    def close(self) -> None:
        self.response.close()
        self.connection.close()


class ByteStream:
    """Pieces of an answer as they come; ``close`` from any thread ends the iteration."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._closed = False
        self.patience(None)

    def __iter__(self) -> Iterator[bytes]:
        try:
            while piece := self._exchange.response.read1(65_536):
                yield piece
        except (OSError, ValueError, http.client.HTTPException) as error:
            if not self._closed:
                raise Unavailable(f"The connection to the engine broke ({_words(error)}).") from error
        finally:
            self._closed = True
            self._exchange.close()

    def patience(self, seconds: float | None) -> None:
        """How long one read may take; None: for ever."""
        self._exchange.sock.settimeout(seconds)

    def close(self) -> None:
        """Hang up: the read that waits returns, and its thread lets the connection go."""
        self._closed = True
        _hang_up(self._exchange.sock)


class EventStream:
    """Iterates over events and reconnects by itself, resuming after the last one that was handed out.

    ``on_disconnect`` gets the reason and ``on_connect`` is called at each connection. ``stream:reset`` comes as an
    event: read the snapshot again. A refused token ends the iteration with that error.
    """

    def __init__(
        self,
        wire: Transport,
        after: int | None,
        on_connect: Callable[[], None] | None,
        on_disconnect: Callable[[ConduitError], None] | None,
    ) -> None:
        self.last_id = after
        self._wire = wire
        self._on_connect = on_connect
        self._on_disconnect = on_disconnect
        self._closed = threading.Event()
        self._stream: ByteStream | None = None

    def __iter__(self) -> Iterator[EventBody]:
        failures = 0
        while not self._closed.is_set():
            try:
                for event in self._once():
                    failures = 0
                    yield event
                problem: ConduitError = Unavailable("The engine ended the stream of events.")
            except (Unauthorized, Forbidden, BadRequest):
                raise
            except ConduitError as error:
                problem = error
            if self._closed.is_set():
                return
            if self._on_disconnect:
                self._on_disconnect(problem)
            self._closed.wait(_BACKOFF_S[min(failures, len(_BACKOFF_S) - 1)])
            failures += 1

    def close(self) -> None:
        """End the iteration, from any thread."""
        self._closed.set()
        stream = self._stream
        if stream is not None:
            stream.close()

    def _once(self) -> Iterator[EventBody]:
        query = "" if self.last_id is None else f"?after={self.last_id}"
        stream = ByteStream(self._wire.open("GET", f"/api/events{query}", None, None))
        stream.patience(STREAM_SILENCE_S)
        self._stream = stream
        if self._closed.is_set():  # closed while it connected
            stream.close()
            return
        if self._on_connect:
            self._on_connect()
        for event in _parse(stream):
            self.last_id = event["id"]
            yield event


def _parse(stream: ByteStream) -> Iterator[EventBody]:
    """Whole frames of server-sent events; comments are passed over."""
    rest = b""
    for piece in stream:
        *frames, rest = (rest + piece).split(b"\n\n")
        for frame in frames:
            data = [line[6:] for line in frame.split(b"\n") if line.startswith(b"data: ")]
            if data:
                yield cast("EventBody", json.loads(b"\n".join(data)))


def _fault(status: int, body: bytes) -> ConduitError:
    try:
        told = json.loads(body)
        sentence = str(told["error"])
    except (ValueError, KeyError, TypeError):
        return ConduitError(f"The engine answered {status} without a sentence; its log may say why.")
    if status == 403 and "condition" in told:
        return ConsentRefused(told["condition"], sentence)
    if status == 409:
        return Conflict(sentence, told.get("details"))
    if status == 400 and isinstance(told.get("details"), dict):
        return NotReady(sentence, told["details"])
    return _BY_STATUS.get(status, ConduitError)(sentence)


def _broken(base_url: str, error: Exception) -> Unavailable:
    if isinstance(error, ConnectionRefusedError):
        return Unavailable(f"No engine answers on {base_url}. {START}")
    if isinstance(error, TimeoutError):
        return Unavailable(
            f"The engine on {base_url} did not answer in time. Look at its state before you repeat this."
        )
    why = _words(error)
    return Unavailable(f"The connection to the engine on {base_url} broke ({why}). Look at its state, then repeat.")


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _loopback(base_url: str) -> tuple[str, int]:
    scheme, _, rest = base_url.partition("://")
    host, _, port = rest.rpartition(":")
    if scheme != "http" or host not in ("127.0.0.1", "localhost", "[::1]") or not port.isdigit():
        raise BadRequest(f"{base_url} is not an engine's address: it looks like http://127.0.0.1:3200.")
    return host.strip("[]"), int(port)


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other end was first
