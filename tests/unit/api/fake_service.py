"""A service that keeps everything in memory and tells every change, for the tests of API, client and page."""

from collections.abc import AsyncIterator
from typing import Any

from engine.api.events import EventHub
from engine.domain.errors import BadRequest, Conflict, ConsentRefused, NotFound
from engine.ports.clock import Clock, stamp

STARTED = "2026-01-01T10:00:00.000Z"


def gate(identity: str = "g-1", **changes: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "agentId": "a-1",
        "agentName": "backend",
        "projectId": "p-1",
        "projectName": "Apollo",
        "prompt": "Do you want to run this command?",
        "command": "rm -rf build/*",
        "choices": [
            {"label": "1. Yes", "kind": "approve", "sends": "types 1"},
            {"label": "2. Yes, and don't ask again", "kind": "always", "sends": "types 2"},
            {"label": "3. No, tell it what to do", "kind": "reject", "sends": "types Escape"},
        ],
        "source": "regex",
        "tier": "harmful",
        "screenOnly": None,
        "speakable": True,
        "mayHaveBegun": False,
        "effects": [{"kind": "delete", "targets": ["build/*"], "place": "project", "undo": "no"}],
        "cwd": "/home/dev/apollo",
        "branch": "main",
        "fingerprint": "ab" * 32,
        "raisedAt": STARTED,
        "head": True,
        "secretsMasked": False,
        **changes,
    }


def agent(identity: str = "a-1", name: str = "backend", **changes: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "projectId": "p-1",
        "projectName": "Apollo",
        "name": name,
        "role": "server side",
        "cli": "claude",
        "cwd": "/home/dev/apollo",
        "status": "running",
        "livenessOnly": False,
        "frozen": False,
        "pid": 4711,
        "sessionId": None,
        "sessionNumber": 12,
        "pendingGate": None,
        "queuedGates": 0,
        "queuedMessages": 0,
        "exit": None,
        **changes,
    }


def plan(identity: str = "pl-1", **changes: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "number": 1,
        "projectId": "p-1",
        "projectName": "Apollo",
        "description": "Ask the tests to cover the new route",
        "targetAgent": "a-1",
        "targetAgentName": "backend",
        "targetProject": "p-1",
        "proposedMessage": "Add a test for /health.\nThen run the suite.",
        "createdAt": STARTED,
        "maybeSent": False,
        **changes,
    }


class FakeService:
    """Answers like the service; ``calls`` holds every call with its keywords, so that a test sees what got through."""

    def __init__(self, hub: EventHub, clock: Clock) -> None:
        self.hub = hub
        self.clock = clock
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.projects = [
            {"id": "p-1", "name": "Apollo", "description": None, "cwd": "/home/dev/apollo", "createdAt": STARTED}
        ]
        self.agents = [agent()]
        self.gates: list[dict[str, Any]] = []
        self.plans: list[dict[str, Any]] = []
        self.runs: list[dict[str, Any]] = []
        self.published: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.decided: dict[str, str] = {}
        self.voice: dict[str, Any] = {
            "connected": False,
            "listening": "off",
            "mode": None,
            "note": None,
            "heard": None,
            "said": None,
            "timingsMs": {},
            "updatedAt": None,
        }

    def named(self, name: str) -> list[dict[str, Any]]:
        """The keywords of every call of one method."""
        return [keywords for called, keywords in self.calls if called == name]

    def raise_gate(self, one: dict[str, Any]) -> None:
        """A gate opens, as the engine would tell it."""
        self.gates.append(one)
        for each in self.agents:
            if each["id"] == one["agentId"] and each["pendingGate"] is None:
                each.update(pendingGate=one, frozen=True, status="awaiting_input")
        self.hub.publish("gate:triggered", one)

    def _note(self, called: str, /, **keywords: Any) -> None:
        self.calls.append((called, keywords))

    def _project(self, project_id: str) -> dict[str, Any]:
        for project in self.projects:
            if project["id"] == project_id:
                return project
        raise NotFound(f"There is no project {project_id}.")

    def _agent(self, agent_id: str) -> dict[str, Any]:
        for each in self.agents:
            if each["id"] == agent_id:
                return each
        raise NotFound(f"There is no agent {agent_id}.")

    async def snapshot(self) -> Any:
        self._note("snapshot")
        return {
            "eventId": self.hub.last_id,
            "projects": self.projects,
            "agents": self.agents,
            "gates": self.gates,
            "plans": self.plans,
            "sessions": [],
            "voice": self.voice,
        }

    async def list_projects(self) -> Any:
        self._note("list_projects")
        return self.projects

    async def create_project(self, *, name: str, cwd: str, description: str | None = None) -> Any:
        self._note("create_project", name=name, cwd=cwd, description=description)
        return {**self.projects[0], "id": "p-2", "name": name, "cwd": cwd, "description": description}

    async def get_project(self, *, project_id: str) -> Any:
        self._note("get_project", project_id=project_id)
        return {"project": self._project(project_id), "agents": self.agents, "plans": self.plans}

    async def update_project(self, *, project_id: str, **fields: Any) -> Any:
        self._note("update_project", project_id=project_id, **fields)
        return {**self._project(project_id), **fields}

    async def delete_project(self, *, project_id: str, remove_data: bool = False) -> Any:
        self._note("delete_project", project_id=project_id, remove_data=remove_data)
        return {"deleted": self._project(project_id)["id"]}

    async def chat(self, *, project_id: str, limit: int = 50) -> Any:
        self._note("chat", project_id=project_id, limit=limit)
        return self.entries[-limit:]

    async def post_chat(self, *, project_id: str, text: str) -> Any:
        self._note("post_chat", project_id=project_id, text=text)
        entry = {"id": f"c-{len(self.entries)}", "ts": stamp(self.clock), "role": "user", "sender": "you"}
        entry.update(text=text, classification=None)  # type: ignore[call-overload]
        self.entries.append(entry)
        self.hub.publish("groupchat:message", entry)
        return entry

    async def audit(self, *, project_id: str, limit: int = 50) -> Any:
        self._note("audit", project_id=project_id, limit=limit)
        return self.lines[-limit:]

    async def policy(self) -> Any:
        self._note("policy")
        return {"rules": [], "spoken": "I let nothing pass by myself.", "fault": None}

    async def confirm_policy(self, *, digests: list[str], via: str) -> Any:
        self._note("confirm_policy", digests=digests, via=via)
        return {"rules": [], "spoken": "", "fault": None}

    async def list_agents(self, *, project_id: str) -> Any:
        self._note("list_agents", project_id=project_id)
        return self.agents

    async def create_agent(self, *, project_id: str, name: str, **fields: Any) -> Any:
        self._note("create_agent", project_id=project_id, name=name, **fields)
        return agent("a-9", name)

    async def get_agent(self, *, project_id: str, agent_id: str) -> Any:
        self._note("get_agent", project_id=project_id, agent_id=agent_id)
        return self._agent(agent_id)

    async def update_agent(self, *, project_id: str, agent_id: str, **fields: Any) -> Any:
        self._note("update_agent", project_id=project_id, agent_id=agent_id, **fields)
        return {**self._agent(agent_id), **fields}

    async def delete_agent(self, *, project_id: str, agent_id: str) -> Any:
        self._note("delete_agent", project_id=project_id, agent_id=agent_id)
        return {"deleted": self._agent(agent_id)["id"]}

    async def start_agent(self, *, project_id: str, agent_id: str, resume: bool = False) -> Any:
        self._note("start_agent", project_id=project_id, agent_id=agent_id)
        return self._agent(agent_id)

    async def stop_agent(self, *, project_id: str, agent_id: str, via: str) -> Any:
        self._note("stop_agent", project_id=project_id, agent_id=agent_id, via=via)
        return self._agent(agent_id)

    async def restart_agent(self, *, project_id: str, agent_id: str, via: str) -> Any:
        self._note("restart_agent", project_id=project_id, agent_id=agent_id, via=via)
        return self._agent(agent_id)

    async def interrupt_agent(self, *, project_id: str, agent_id: str) -> Any:
        self._note("interrupt_agent", project_id=project_id, agent_id=agent_id)
        return self._agent(agent_id)

    async def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> Any:
        self._note("output", project_id=project_id, agent_id=agent_id, lines=lines)
        return {"text": "$ make test\n<b>ok</b>", "status": "running", "frozen": False}

    async def terminal(self, *, project_id: str, agent_id: str, after: int | None = None) -> AsyncIterator[bytes]:
        self._note("terminal", project_id=project_id, agent_id=agent_id, after=after)
        self._agent(agent_id)
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield b"\x1b[2Jhello "
        yield b"\xff\x00world"

    async def terminal_keys(self, *, project_id: str, agent_id: str, data: bytes) -> None:
        self._note("terminal_keys", project_id=project_id, agent_id=agent_id, data=data)

    async def terminal_size(self, *, project_id: str, agent_id: str, rows: int, cols: int) -> None:
        self._note("terminal_size", project_id=project_id, agent_id=agent_id, rows=rows, cols=cols)

    async def reveal(self, *, gate_id: str, via: str, **more: Any) -> Any:
        self._note("reveal", gate_id=gate_id, via=via, **more)
        return {"prompt": "Push with token s3cr3t?", "command": "push --token s3cr3t"}

    async def resolve(self, *, gate_id: str, decision: str, via: str, **more: Any) -> Any:
        self._note("resolve", gate_id=gate_id, decision=decision, via=via, **more)
        if via == "voice" and decision == "approve":
            raise ConsentRefused("not_read", "This gate was not read to you yet, so nothing was sent.")
        if gate_id in self.decided:
            details = {"decision": self.decided[gate_id], "at": STARTED, "via": "cli"}
            raise Conflict("Someone was faster: this gate is decided.", details)
        found = [one for one in self.gates if one["id"] == gate_id]
        if not found:
            raise NotFound(f"There is no gate {gate_id}.")
        self.gates.remove(found[0])
        self.decided[gate_id] = decision
        for each in self.agents:
            if each["pendingGate"] is found[0]:
                each.update(pendingGate=None, frozen=False, status="running")
        line = {"id": f"au-{gate_id}", "timestamp": stamp(self.clock), "event": f"gate_{decision}", "gate": found[0]}
        line.update(decision=decision, action="typed 1", via=via)
        self.lines.append(line)
        self.hub.publish("gate:resolved", {"id": gate_id, "decision": decision})
        return {"action": "typed 1", "agentName": found[0]["agentName"], "decision": decision, "via": via}

    async def list_plans(self, *, project_id: str) -> Any:
        self._note("list_plans", project_id=project_id)
        return self.plans

    async def create_plan(self, **fields: Any) -> Any:
        self._note("create_plan", **fields)
        return plan()

    async def resolve_plan(self, *, plan_id: str, decision: str, **more: Any) -> Any:
        self._note("resolve_plan", plan_id=plan_id, decision=decision, **more)
        self.plans = [one for one in self.plans if one["id"] != plan_id]
        self.hub.publish("plan:resolved", {"id": plan_id})
        return {"decision": decision, "state": "sent" if decision == "approve" else "rejected"}

    async def inject(self, *, project: str, agent: str, message: str, message_id: str | None = None, via: str) -> Any:
        self._note("inject", project=project, agent=agent, message=message, message_id=message_id, via=via)
        if any(one["agentId"] == agent for one in self.gates):
            raise BadRequest("A gate of this agent is open: answer it first.")
        return {"messageId": message_id or "m-1", "state": "queued"}

    async def cancel_message(self, *, message_id: str) -> Any:
        self._note("cancel_message", message_id=message_id)
        return {"cancelled": True}

    async def broadcast(self, *, project: str, message: str, via: str) -> Any:
        self._note("broadcast", project=project, message=message, via=via)
        return {"results": []}

    async def sessions(self, *, limit: int = 50, archived: bool = False) -> Any:
        self._note("sessions", limit=limit, archived=archived)
        return self.runs

    async def resume_session(self, **fields: Any) -> Any:
        self._note("resume_session", **fields)
        return {"id": fields["session"]}

    async def halt_session(self, **fields: Any) -> Any:
        self._note("halt_session", **fields)
        return {"id": fields["session"]}

    async def cancel_session(self, **fields: Any) -> Any:
        self._note("cancel_session", **fields)
        return {"id": fields["session"]}

    async def archive_session(self, **fields: Any) -> Any:
        self._note("archive_session", **fields)
        return {"id": fields["session"]}

    async def delete_session(self, **fields: Any) -> Any:
        self._note("delete_session", **fields)
        return {"deleted": fields["session"]}

    async def attach_file(self, **fields: Any) -> Any:
        self._note("attach_file", **fields)
        return {"id": "u-1"}

    async def verify_session(self, **fields: Any) -> Any:
        self._note("verify_session", **fields)
        return {"differences": []}

    async def session(self, *, session: str) -> Any:
        self._note("session", session=session)
        return {"id": session, "name": "S-12"}

    async def documents(self, *, project_id: str) -> Any:
        self._note("documents", project_id=project_id)
        return [one for one in self.published if one["projectId"] == project_id]

    async def document(self, *, project_id: str, document_id: str) -> Any:
        self._note("document", project_id=project_id, document_id=document_id)
        return {"id": document_id, "versions": []}

    async def publish_document(self, **fields: Any) -> Any:
        self._note("publish_document", **fields)
        return {"id": "d-1", "versions": []}

    async def document_content(self, **fields: Any) -> Any:
        self._note("document_content", **fields)
        return "a.md", b"{}"

    async def voice_session(self) -> Any:
        self._note("voice_session")
        return {"id": "v-1"}

    async def voice_reading(self, *, session: str, gate_id: str | None = None, plan_id: str | None = None) -> Any:
        self._note("voice_reading", session=session, gate_id=gate_id, plan_id=plan_id)
        return {"readingId": "r-1", "fingerprint": "ab", "text": "rm", "word": "tango", "words": [], "refusals": []}

    async def voice_played(self, *, session: str, reading_id: str) -> Any:
        self._note("voice_played", session=session, reading_id=reading_id)
        return {"receipt": "rc-1"}

    async def voice_heard(self, **fields: Any) -> Any:
        self._note("voice_heard", **fields)
        return {"verdict": "neither"}

    async def voice_state(self, **fields: Any) -> None:
        self._note("voice_state", **fields)
        names = {"timings_ms": "timingsMs", "updated_at": "updatedAt"}
        self.voice.update({names.get(name, name): value for name, value in fields.items()})
        self.hub.publish("voice:state", self.voice)

    async def voice_command(self, *, action: str) -> None:
        self._note("voice_command", action=action)
        self.hub.publish("voice:command", {"action": action})
