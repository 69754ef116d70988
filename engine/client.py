"""The service over loopback HTTP, synchronous and quick to import: for voice, CLI and scripts.

Every method returns the shapes of :mod:`engine.domain.wire` and raises a :class:`ConduitError` with the engine's own
sentence. One connection a call, so a client may be used from several threads at once.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final, Literal, cast
from urllib.parse import quote

from engine.domain.errors import ConduitError, Unavailable
from engine.transport import START, ByteStream, EventStream, Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.domain.wire import (
        AgentView,
        ChatView,
        DocumentView,
        InjectResult,
        OrgSnapshot,
        PlanView,
        PolicyView,
        ProjectView,
        ReadingView,
        ResolveResult,
        RevealView,
        RunView,
        SessionView,
        UploadView,
    )

__all__ = ["ENGINE_FILE", "TOKENS_FILE", "ByteStream", "Client", "ClientVia", "EventStream"]

TOKENS_FILE: Final = "tokens.json"
ENGINE_FILE: Final = "engine.json"
ClientVia = Literal["cli", "web", "terminal", "voice"]


class Client:
    """One engine, one token. ``timeout`` is in seconds and holds for connecting and for each read."""

    def __init__(self, base_url: str, token: str, via: ClientVia = "cli", *, timeout: float = 10.0) -> None:
        self.base_url = base_url.rstrip("/")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if via != "voice":  # the kind of token says that already
            headers["X-Conduit-Via"] = via
        self._wire = Transport(self.base_url, headers, timeout)

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
        engine = _read_json(home / ENGINE_FILE, f"No engine runs for {home}. {START}")
        port, pid = engine.get("port"), engine.get("pid")
        if not isinstance(port, int) or not isinstance(pid, int):
            raise Unavailable(f"No engine runs for {home}. {START}")
        base = f"http://127.0.0.1:{port}"
        health = Client(base, "", timeout=timeout)._health(home)
        if health.get("pid") != pid:
            raise Unavailable(f"Another engine answers on port {port} than the one of {home}. {START}")
        tokens = _read_json(home / TOKENS_FILE, f"{home / TOKENS_FILE} is missing. {START}")
        return cls(base, str(tokens.get(kind, "")), via or ("voice" if kind == "voice" else "cli"), timeout=timeout)

    def _health(self, home: Path) -> dict[str, Any]:
        try:
            return self.health()
        except Unavailable as error:
            raise Unavailable(f"The engine of {home} does not answer on {self.base_url}. {START}") from error

    # Projects

    def health(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self._wire.call("GET", "/api/health"))

    def snapshot(self) -> OrgSnapshot:
        return cast("OrgSnapshot", self._wire.call("GET", "/org/snapshot"))

    def list_projects(self) -> list[ProjectView]:
        return cast("list[ProjectView]", self._wire.call("GET", "/api/projects"))

    def create_project(self, *, name: str, cwd: str, description: str | None = None) -> ProjectView:
        body = {"name": name, "cwd": cwd, "description": description}
        return cast("ProjectView", self._wire.call("POST", "/api/projects", body))

    def get_project(self, *, project_id: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self._wire.call("GET", _project(project_id)))

    def update_project(self, *, project_id: str, **fields: str | None) -> ProjectView:
        """``fields``: name, description, cwd; only the given ones change."""
        return cast("ProjectView", self._wire.call("PUT", _project(project_id), fields))

    def delete_project(self, *, project_id: str, remove_data: bool = False) -> dict[str, str]:
        query = {"removeData": "true" if remove_data else "false"}
        return cast("dict[str, str]", self._wire.call("DELETE", _project(project_id), query=query))

    def chat(self, *, project_id: str, limit: int = 50) -> list[ChatView]:
        return cast(
            "list[ChatView]", self._wire.call("GET", f"{_project(project_id)}/groupchat", query={"limit": limit})
        )

    def post_chat(self, *, project_id: str, text: str) -> ChatView:
        return cast("ChatView", self._wire.call("POST", f"{_project(project_id)}/groupchat", {"text": text}))

    def audit(self, *, project_id: str, limit: int = 50) -> list[dict[str, Any]]:
        return cast(
            "list[dict[str, Any]]", self._wire.call("GET", f"{_project(project_id)}/audit", query={"limit": limit})
        )

    # Agents

    def list_agents(self, *, project_id: str) -> list[AgentView]:
        return cast("list[AgentView]", self._wire.call("GET", f"{_project(project_id)}/agents"))

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
        return cast("AgentView", self._wire.call("POST", f"{_project(project_id)}/agents", body))

    def get_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return cast("AgentView", self._wire.call("GET", _agent(project_id, agent_id)))

    def update_agent(self, *, project_id: str, agent_id: str, **fields: Any) -> AgentView:
        """``fields``: name, cli, role, cwd, command, flags; only the given ones change."""
        return cast("AgentView", self._wire.call("PUT", _agent(project_id, agent_id), fields))

    def delete_agent(self, *, project_id: str, agent_id: str) -> dict[str, str]:
        return cast("dict[str, str]", self._wire.call("DELETE", _agent(project_id, agent_id)))

    def start_agent(self, *, project_id: str, agent_id: str, resume: bool = False) -> AgentView:
        """``resume`` goes on with the conversation of its last session."""
        if not resume:
            return self._do(project_id, agent_id, "start")
        path = f"{_agent(project_id, agent_id)}/start"
        return cast("AgentView", self._wire.call("POST", path, {"resume": True}, timeout=60.0))

    def stop_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "stop")

    def restart_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "restart")

    def interrupt_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return self._do(project_id, agent_id, "interrupt")

    def _do(self, project_id: str, agent_id: str, what: str) -> AgentView:
        return cast("AgentView", self._wire.call("POST", f"{_agent(project_id, agent_id)}/{what}", timeout=60.0))

    def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> dict[str, Any]:
        return cast(
            "dict[str, Any]", self._wire.call("GET", f"{_agent(project_id, agent_id)}/output", query={"lines": lines})
        )

    def terminal(self, *, project_id: str, agent_id: str, after: int | None = None) -> ByteStream:
        """The raw terminal from an offset (None: enough to redraw) until the agent ends or ``close``."""
        path = f"{_agent(project_id, agent_id)}/terminal" + ("" if after is None else f"?after={after}")
        return ByteStream(self._wire.open("GET", path, None, None))

    def terminal_keys(self, *, project_id: str, agent_id: str, data: bytes) -> None:
        body = {"data": base64.b64encode(data).decode()}
        self._wire.call("POST", f"{_agent(project_id, agent_id)}/terminal/keys", body)

    def terminal_size(self, *, project_id: str, agent_id: str, rows: int, cols: int) -> None:
        self._wire.call("POST", f"{_agent(project_id, agent_id)}/terminal/size", {"rows": rows, "cols": cols})

    def reveal(self, *, project_id: str, agent_id: str, gate_id: str) -> RevealView:
        path = f"{_agent(project_id, agent_id)}/gate/{_segment(gate_id)}/reveal"
        return cast("RevealView", self._wire.call("POST", path))

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
        return cast("ResolveResult", self._wire.call("POST", path, body, timeout=60.0))

    # Plans, messages, sessions

    def list_plans(self, *, project_id: str) -> list[PlanView]:
        return cast("list[PlanView]", self._wire.call("GET", f"{_project(project_id)}/plans"))

    def create_plan(self, *, project: str, agent: str, description: str, message: str) -> PlanView:
        body = {"project": project, "agent": agent, "description": description, "message": message}
        return cast("PlanView", self._wire.call("POST", "/org/plan", body))

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
        return cast("dict[str, str]", self._wire.call("POST", path, body, timeout=60.0))

    def inject(self, *, project: str, agent: str, message: str, message_id: str | None = None) -> InjectResult:
        body = {"project": project, "agent": agent, "message": message, "messageId": message_id}
        return cast("InjectResult", self._wire.call("POST", "/org/inject", body, timeout=30.0))

    def cancel_message(self, *, message_id: str) -> dict[str, bool]:
        return cast("dict[str, bool]", self._wire.call("POST", f"/org/messages/{_segment(message_id)}/cancel"))

    def broadcast(self, *, project: str, message: str) -> dict[str, Any]:
        body = {"project": project, "message": message}
        return cast("dict[str, Any]", self._wire.call("POST", "/org/broadcast", body, timeout=30.0))

    def documents(self, *, project_id: str) -> list[DocumentView]:
        return cast("list[DocumentView]", self._wire.call("GET", f"{_project(project_id)}/documents"))

    def document(self, *, project_id: str, document_id: str) -> DocumentView:
        path = f"{_project(project_id)}/documents/{_segment(document_id)}"
        return cast("DocumentView", self._wire.call("GET", path))

    def publish_document(
        self, *, project_id: str, file: str, data: bytes, title: str = "", document_id: str | None = None
    ) -> DocumentView:
        """A new document (it needs a title), or the next version of ``document_id``."""
        body = {"title": title, "file": file, "data": base64.b64encode(data).decode(), "documentId": document_id}
        return cast("DocumentView", self._wire.call("POST", f"{_project(project_id)}/documents", body, timeout=60.0))

    def document_content(self, *, project_id: str, document_id: str, version: int | None = None) -> bytes:
        """The bytes of one version (None: the latest)."""
        path = f"{_project(project_id)}/documents/{_segment(document_id)}/content"
        path += "" if version is None else f"?version={version}"
        return b"".join(ByteStream(self._wire.open("GET", path, None, None)))

    def policy(self) -> PolicyView:
        """What is approved without asking; ``spoken`` tells it."""
        return cast("PolicyView", self._wire.call("GET", "/api/policy"))

    def confirm_policy(self, *, digests: list[str]) -> PolicyView:
        """Switch on the rules with these digests; only the owner may."""
        return cast("PolicyView", self._wire.call("POST", "/api/policy/confirm", {"digests": digests}))

    def sessions(self, *, limit: int = 50, archived: bool = False) -> list[RunView]:
        query = {"limit": limit, "archived": "true" if archived else "false"}
        return cast("list[RunView]", self._wire.call("GET", "/api/sessions", query=query))

    def session(self, *, session: str) -> SessionView:
        return cast("SessionView", self._wire.call("GET", _session(session)))

    def resume_session(self, *, session: str, at: str | None = None) -> SessionView:
        """Start it again; with ``at``, an ISO time with its zone, by itself at that time."""
        return self._session_do(session, "resume", {"at": at})

    def halt_session(self, *, session: str) -> SessionView:
        return self._session_do(session, "halt", None)

    def cancel_session(self, *, session: str) -> SessionView:
        return self._session_do(session, "cancel", None)

    def archive_session(self, *, session: str, archived: bool = True) -> SessionView:
        return self._session_do(session, "archive", {"archived": archived})

    def delete_session(self, *, session: str) -> dict[str, str]:
        return cast("dict[str, str]", self._wire.call("DELETE", _session(session), timeout=30.0))

    def attach_file(self, *, session: str, name: str, data: bytes) -> UploadView:
        body = {"name": name, "data": base64.b64encode(data).decode()}
        return cast("UploadView", self._wire.call("POST", f"{_session(session)}/uploads", body, timeout=60.0))

    def verify_session(self, *, session: str) -> dict[str, list[str]]:
        """``differences``: where its record and its journal disagree."""
        return cast("dict[str, list[str]]", self._wire.call("GET", f"{_session(session)}/verify", timeout=60.0))

    def _session_do(self, session: str, what: str, body: object) -> SessionView:
        return cast("SessionView", self._wire.call("POST", f"{_session(session)}/{what}", body, timeout=60.0))

    # Voice and links

    def voice_session(self) -> dict[str, str]:
        return cast("dict[str, str]", self._wire.call("POST", "/api/voice/sessions"))

    def voice_reading(self, *, session: str, gate_id: str | None = None, plan_id: str | None = None) -> ReadingView:
        body = {"gateId": gate_id} if gate_id is not None else {"planId": plan_id}
        return cast("ReadingView", self._wire.call("POST", f"{_voice(session)}/reading", body))

    def voice_played(self, *, session: str, reading_id: str) -> dict[str, str]:
        return cast("dict[str, str]", self._wire.call("POST", f"{_voice(session)}/played", {"readingId": reading_id}))

    def voice_heard(
        self,
        *,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None,
        word_scores: dict[str, float] | None = None,
        others: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        body = {"text": text, "confidence": confidence, "receipt": receipt, "wordScores": word_scores}
        body = {**body, "others": list(others)} if others else body
        return cast("dict[str, Any]", self._wire.call("POST", f"{_voice(session)}/heard", body))

    def voice_state(self, **fields: Any) -> None:
        """``fields``: those of ``VoiceView`` that changed, in snake_case or camelCase."""
        self._wire.call("PUT", "/api/voice/state", {_camel(name): value for name, value in fields.items()})

    def voice_command(self, *, action: Literal["listen", "silence"]) -> None:
        self._wire.call("POST", "/api/voice/command", {"action": action})

    def page_link(self) -> str:
        """An address that opens the page once, within 60 s."""
        code = cast("dict[str, str]", self._wire.call("POST", "/api/auth/link"))["code"]
        return f"{self.base_url}/#link={code}"

    def events(
        self,
        after: int | None = None,
        *,
        on_connect: Callable[[], None] | None = None,
        on_disconnect: Callable[[ConduitError], None] | None = None,
    ) -> EventStream:
        """Events after an id, over every break of the connection, until ``close``."""
        return EventStream(self._wire, after, on_connect, on_disconnect)


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


def _segment(text: str) -> str:
    return quote(text, safe="")


def _project(project_id: str) -> str:
    return f"/api/projects/{_segment(project_id)}"


def _agent(project_id: str, agent_id: str) -> str:
    return f"{_project(project_id)}/agents/{_segment(agent_id)}"


def _session(session: str) -> str:
    return f"/api/sessions/{_segment(session)}"


def _voice(session: str) -> str:
    return f"/api/voice/sessions/{_segment(session)}"


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
