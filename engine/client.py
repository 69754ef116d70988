"""The service over loopback HTTP, synchronous and quick to import: for voice, CLI and scripts.

Every method returns the shapes of :mod:`engine.domain.wire` and raises a :class:`ConduitError` with the engine's own
sentence. One connection a call, so a client may be used from several threads at once.
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast
from urllib.parse import quote, urlencode

from engine.domain.errors import (
    BadRequest,
    ConduitError,
    Conflict,
    ConsentRefused,
    Forbidden,
    NotFound,
    Unauthorized,
    Unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.domain.wire import (
        AgentView,
        ChatView,
        EventBody,
        InjectResult,
        OrgSnapshot,
        PlanView,
        ProjectView,
        ReadingView,
        ResolveResult,
        RunView,
    )

TOKENS_FILE: Final = "tokens.json"
ENGINE_FILE: Final = "engine.json"
BODY_LIMIT: Final = 2_000_000  # bytes; the engine refuses more
STREAM_SILENCE_S: Final = 45.0  # three heartbeats missed: the stream is dead
_START: Final = "Start it with: conduit up"
_BACKOFF_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)

ClientVia = Literal["cli", "web", "terminal", "voice"]
_BY_STATUS: Final[dict[int, type[ConduitError]]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: BadRequest,
    413: BadRequest,
    503: Unavailable,
}


class Client:
    """One engine, one token. ``timeout`` is in seconds and holds for connecting and for each read."""

    def __init__(self, base_url: str, token: str, via: ClientVia = "cli", *, timeout: float = 10.0) -> None:
        self.base_url = base_url.rstrip("/")
        self._address = _loopback(self.base_url)
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
        if via != "voice":  # the kind of token says that already
            self._headers["X-Conduit-Via"] = via

    @classmethod
    def from_home(
        cls,
        home: Path,
        kind: Literal["owner", "voice"] = "owner",
        via: ClientVia | None = None,
        *,
        timeout: float = 10.0,
    ) -> Client:
        """The client of the engine that runs on this data root.

        The token is sent only to the process that the root names. Raises :class:`Unavailable` saying what to do.
        """
        engine = _read_json(home / ENGINE_FILE, f"No engine runs for {home}. {_START}")
        port, pid = engine.get("port"), engine.get("pid")
        if not isinstance(port, int) or not isinstance(pid, int):
            raise Unavailable(f"No engine runs for {home}. {_START}")
        base = f"http://127.0.0.1:{port}"
        health = Client(base, "", timeout=timeout)._health(home)
        if health.get("pid") != pid:
            raise Unavailable(f"Another engine answers on port {port} than the one of {home}. {_START}")
        tokens = _read_json(home / TOKENS_FILE, f"{home / TOKENS_FILE} is missing. {_START}")
        return cls(base, str(tokens.get(kind, "")), via or ("voice" if kind == "voice" else "cli"), timeout=timeout)

    def _health(self, home: Path) -> dict[str, Any]:
        self._headers = {"Connection": "close"}
        try:
            return self.health()
        except Unavailable as error:
            raise Unavailable(f"The engine of {home} does not answer on {self.base_url}. {_START}") from error

    # Projects

    def health(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self._call("GET", "/api/health"))

    def snapshot(self) -> OrgSnapshot:
        return cast("OrgSnapshot", self._call("GET", "/org/snapshot"))

    def list_projects(self) -> list[ProjectView]:
        return cast("list[ProjectView]", self._call("GET", "/api/projects"))

    def create_project(self, *, name: str, cwd: str, description: str | None = None) -> ProjectView:
        body = {"name": name, "cwd": cwd, "description": description}
        return cast("ProjectView", self._call("POST", "/api/projects", body))

    def get_project(self, *, project_id: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self._call("GET", _project(project_id)))

    def update_project(self, *, project_id: str, **fields: str | None) -> ProjectView:
        """``fields``: name, description, cwd; only the given ones change."""
        return cast("ProjectView", self._call("PUT", _project(project_id), fields))

    def delete_project(self, *, project_id: str, remove_data: bool = False) -> dict[str, str]:
        query = {"removeData": "true" if remove_data else "false"}
        return cast("dict[str, str]", self._call("DELETE", _project(project_id), query=query))

    def chat(self, *, project_id: str, limit: int = 50) -> list[ChatView]:
        return cast("list[ChatView]", self._call("GET", f"{_project(project_id)}/groupchat", query={"limit": limit}))

    def post_chat(self, *, project_id: str, text: str) -> ChatView:
        return cast("ChatView", self._call("POST", f"{_project(project_id)}/groupchat", {"text": text}))

    def audit(self, *, project_id: str, limit: int = 50) -> list[dict[str, Any]]:
        return cast("list[dict[str, Any]]", self._call("GET", f"{_project(project_id)}/audit", query={"limit": limit}))

    # Agents

    def list_agents(self, *, project_id: str) -> list[AgentView]:
        return cast("list[AgentView]", self._call("GET", f"{_project(project_id)}/agents"))

    def create_agent(
        self,
        *,
        project_id: str,
        name: str,
        cli: str,
        role: str | None = None,
        cwd: str | None = None,
        command: list[str] | None = None,
        flags: list[str] | None = None,
    ) -> AgentView:
        body = {"name": name, "cli": cli, "role": role, "cwd": cwd, "command": command, "flags": flags}
        return cast("AgentView", self._call("POST", f"{_project(project_id)}/agents", body))

    def get_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return cast("AgentView", self._call("GET", _agent(project_id, agent_id)))

    def update_agent(self, *, project_id: str, agent_id: str, **fields: Any) -> AgentView:
        """``fields``: name, cli, role, cwd, command, flags; only the given ones change."""
        return cast("AgentView", self._call("PUT", _agent(project_id, agent_id), fields))

    def delete_agent(self, *, project_id: str, agent_id: str) -> dict[str, str]:
        return cast("dict[str, str]", self._call("DELETE", _agent(project_id, agent_id)))

    def start_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "start")

    def stop_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "stop")

    def restart_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "restart")

    def interrupt_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "interrupt")

    def _do(self, project_id: str, agent_id: str, what: str) -> AgentView:
        return cast("AgentView", self._call("POST", f"{_agent(project_id, agent_id)}/{what}", timeout=60.0))

    def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> dict[str, Any]:
        return cast(
            "dict[str, Any]", self._call("GET", f"{_agent(project_id, agent_id)}/output", query={"lines": lines})
        )

    def terminal(self, *, project_id: str, agent_id: str, after: int | None = None) -> ByteStream:
        """The raw terminal from an offset (None: enough to redraw) until the agent ends or ``close``."""
        path = f"{_agent(project_id, agent_id)}/terminal" + ("" if after is None else f"?after={after}")
        return ByteStream(self._open("GET", path, None, None))

    def terminal_keys(self, *, project_id: str, agent_id: str, data: bytes) -> None:
        body = {"data": base64.b64encode(data).decode()}
        self._call("POST", f"{_agent(project_id, agent_id)}/terminal/keys", body)

    def terminal_size(self, *, project_id: str, agent_id: str, rows: int, cols: int) -> None:
        self._call("POST", f"{_agent(project_id, agent_id)}/terminal/size", {"rows": rows, "cols": cols})

    def resolve(
        self,
        *,
        project_id: str,
        agent_id: str,
        gate_id: str,
        decision: Literal["approve", "reject", "custom"],
        custom_input: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
    ) -> ResolveResult:
        body = {
            "gateId": gate_id,
            "decision": decision,
            "customInput": custom_input,
            "requestId": request_id,
            "voiceSession": voice_session,
        }
        path = f"{_agent(project_id, agent_id)}/gate/resolve"
        return cast("ResolveResult", self._call("POST", path, body, timeout=60.0))

    # Plans, messages, sessions

    def list_plans(self, *, project_id: str) -> list[PlanView]:
        return cast("list[PlanView]", self._call("GET", f"{_project(project_id)}/plans"))

    def create_plan(self, *, project: str, agent: str, description: str, message: str) -> PlanView:
        body = {"project": project, "agent": agent, "description": description, "message": message}
        return cast("PlanView", self._call("POST", "/org/plan", body))

    def resolve_plan(
        self,
        *,
        project_id: str,
        plan_id: str,
        decision: Literal["approve", "reject"],
        reason: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
    ) -> dict[str, str]:
        body = {"decision": decision, "reason": reason, "requestId": request_id, "voiceSession": voice_session}
        path = f"{_project(project_id)}/plans/{_segment(plan_id)}/resolve"
        return cast("dict[str, str]", self._call("POST", path, body, timeout=60.0))

    def inject(self, *, project: str, agent: str, message: str, message_id: str | None = None) -> InjectResult:
        body = {"project": project, "agent": agent, "message": message, "messageId": message_id}
        return cast("InjectResult", self._call("POST", "/org/inject", body, timeout=30.0))

    def cancel_message(self, *, message_id: str) -> dict[str, bool]:
        return cast("dict[str, bool]", self._call("POST", f"/org/messages/{_segment(message_id)}/cancel"))

    def broadcast(self, *, project: str, message: str) -> dict[str, Any]:
        body = {"project": project, "message": message}
        return cast("dict[str, Any]", self._call("POST", "/org/broadcast", body, timeout=30.0))

    def sessions(self, *, limit: int = 50) -> list[RunView]:
        return cast("list[RunView]", self._call("GET", "/api/sessions", query={"limit": limit}))

    def session(self, *, session: str) -> RunView:
        return cast("RunView", self._call("GET", f"/api/sessions/{_segment(session)}"))

    # Voice and links

    def voice_session(self) -> dict[str, str]:
        return cast("dict[str, str]", self._call("POST", "/api/voice/sessions"))

    def voice_reading(self, *, session: str, gate_id: str | None = None, plan_id: str | None = None) -> ReadingView:
        body = {"gateId": gate_id} if gate_id is not None else {"planId": plan_id}
        return cast("ReadingView", self._call("POST", f"{_voice(session)}/reading", body))

    def voice_played(self, *, session: str, reading_id: str) -> dict[str, str]:
        return cast("dict[str, str]", self._call("POST", f"{_voice(session)}/played", {"readingId": reading_id}))

    def voice_heard(
        self,
        *,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None,
        word_scores: dict[str, float] | None = None,
    ) -> dict[str, Any]:
        body = {"text": text, "confidence": confidence, "receipt": receipt, "wordScores": word_scores}
        return cast("dict[str, Any]", self._call("POST", f"{_voice(session)}/heard", body))

    def voice_state(self, **fields: Any) -> None:
        """``fields``: those of ``VoiceView`` that changed, in snake_case or camelCase."""
        self._call("PUT", "/api/voice/state", {_camel(name): value for name, value in fields.items()})

    def voice_command(self, *, action: Literal["listen", "silence"]) -> None:
        self._call("POST", "/api/voice/command", {"action": action})

    def page_link(self) -> str:
        """An address that opens the page once, within 60 s."""
        code = cast("dict[str, str]", self._call("POST", "/api/auth/link"))["code"]
        return f"{self.base_url}/#link={code}"

    def events(
        self,
        after: int | None = None,
        *,
        on_connect: Callable[[], None] | None = None,
        on_disconnect: Callable[[ConduitError], None] | None = None,
    ) -> EventStream:
        """Events after an id, over every break of the connection, until ``close``."""
        return EventStream(self, after, on_connect, on_disconnect)

    # The wire

    def _call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: dict[str, Any] | None = None,
        timeout: float | None = None,
    ) -> object:
        target = f"{path}?{urlencode(query)}" if query else path
        exchange = self._open(method, target, body, timeout)
        try:
            return json.loads(exchange.response.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _broken(self.base_url, error) from error
        finally:
            exchange.close()

    def _open(self, method: str, target: str, body: object, timeout: float | None) -> _Exchange:
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
            raise _broken(self.base_url, error) from error
        return _Exchange(connection, sock, response)


class _Exchange(NamedTuple):
    """One request under way: its connection, and the socket that its answer comes over."""

    connection: http.client.HTTPConnection
    sock: socket.socket
    response: http.client.HTTPResponse

    def close(self) -> None:
        self.response.close()
        self.connection.close()


class ByteStream:
    """Pieces of an answer as they come; ``close`` from any thread ends the iteration."""

    def __init__(self, exchange: _Exchange) -> None:
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
        client: Client,
        after: int | None,
        on_connect: Callable[[], None] | None,
        on_disconnect: Callable[[ConduitError], None] | None,
    ) -> None:
        self.last_id = after
        self._client = client
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
        stream = ByteStream(self._client._open("GET", f"/api/events{query}", None, None))
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
    return _BY_STATUS.get(status, ConduitError)(sentence)


def _broken(base_url: str, error: Exception) -> Unavailable:
    if isinstance(error, ConnectionRefusedError):
        return Unavailable(f"No engine answers on {base_url}. {_START}")
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


def _read_json(path: Path, missing: str) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise Unavailable(missing) from error
    except (OSError, ValueError) as error:
        raise Unavailable(f"{path} cannot be read ({error}). Check its owner, or restart the engine.") from error
    if not isinstance(found, dict):
        raise Unavailable(f"{path} is damaged. Restart the engine.")
    return found


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other end was first


def _segment(text: str) -> str:
    return quote(text, safe="")


def _project(project_id: str) -> str:
    return f"/api/projects/{_segment(project_id)}"


def _agent(project_id: str, agent_id: str) -> str:
    return f"{_project(project_id)}/agents/{_segment(agent_id)}"


def _voice(session: str) -> str:
    return f"/api/voice/sessions/{_segment(session)}"


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
