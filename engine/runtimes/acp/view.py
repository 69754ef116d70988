"""What an agent's lines tell of its session: what it says, its tools, its open requests (pure)."""

from dataclasses import dataclass, field
from typing import Any, Literal

from engine.domain.gates import Question
from engine.ports.runtime import Said, Signal
from engine.runtimes.acp.questions import handle, question
from engine.runtimes.jsonlines import Json

PERMISSION = "session/request_permission"
UPDATE = "session/update"
_OUTPUT = 2_000  # characters of a tool's output that the transcript keeps
_DONE = ("completed", "failed")  # "in_progress" proves nothing: OpenCode says it of a call that still waits
Wait = Literal["model", "other"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A request that waits for its answer."""

    id: int | str
    tool: str
    question: Question


@dataclass(frozen=True, slots=True)
class Seen:
    """What one message meant."""

    signals: tuple[Signal, ...] = ()
    wait: Wait | None = None
    growing: str = ""  # a piece of what is being said
    asked: Pending | None = None
    resolved: tuple[str, ...] = ()  # handles of requests that are over


@dataclass(slots=True)
class View:
    """One session. ``see`` takes the agent's requests and notifications in order, ``turn_over`` the end of a turn."""

    title: str
    cwd: str
    session: str | None = None
    pending: dict[str, Pending] = field(default_factory=dict)
    _saying: str = ""
    _calls: dict[str, Json] = field(default_factory=dict)
    _running: set[str] = field(default_factory=set)

    def see(self, message: Json) -> Seen:
        """Take one message that has a method."""
        params = message.get("params") or {}
        if message["method"] == PERMISSION and "id" in message:
            return self._permission(message)
        if message["method"] == UPDATE:
            self.session = str(params["sessionId"])
            return self._update(params["update"])
        return Seen()

    def answer(self, name: str) -> None:
        """The answer to a request was written; its tool goes on."""
        self._running.add(self.pending.pop(name).tool)

    def turn_over(self) -> Seen:
        """The turn ended: what is still open is over too."""
        said, over = self._flush(), tuple(self.pending)
        self.pending.clear()
        self._running.clear()
        self._calls.clear()
        return Seen(said, resolved=over)

    def _permission(self, message: Json) -> Seen:
        call = message["params"]["toolCall"]
        tool = str(call["toolCallId"])
        known = self._calls.setdefault(tool, {})
        pending = Pending(message["id"], tool, question(message, self.title, known, self.cwd))
        known.update({key: value for key, value in call.items() if value is not None})
        self.pending[handle(message)] = pending
        return Seen(self._flush(), wait="other", asked=pending)

    def _update(self, update: Json) -> Seen:
        match update["sessionUpdate"]:
            case "agent_message_chunk":
                text = _text(update["content"])
                self._saying += text
                return Seen(wait="model", growing=text)
            case "tool_call" | "tool_call_update":
                return self._tool(update)
            case "agent_thought_chunk" | "plan":
                return Seen(wait="model")
            case _:
                return Seen()

    def _tool(self, update: Json) -> Seen:
        tool = str(update["toolCallId"])
        call = self._calls.setdefault(tool, {})
        call.update({key: value for key, value in update.items() if value is not None})
        status = update.get("status")
        over = tuple(name for name, pending in self.pending.items() if pending.tool == tool and status in _DONE)
        for name in over:
            del self.pending[name]
        (self._running.discard if status in _DONE else self._running.add)(tool)
        said = self._flush()
        if status in _DONE:
            said = (*said, Said("tool", _ran(call)))
        return Seen(said, wait="other" if self._running or self.pending else "model", resolved=over)

    def _flush(self) -> tuple[Signal, ...]:
        text, self._saying = self._saying.strip(), ""
        return (Said("agent", text),) if text else ()


def _text(content: Any) -> str:
    if isinstance(content, dict) and content.get("type") == "text":
        return str(content["text"])
    return f"[{content.get('type')}]" if isinstance(content, dict) else ""


def _ran(call: Json) -> str:
    parts = [_text(part.get("content")) for part in call.get("content") or () if part.get("type") == "content"]
    output = "\n".join(part for part in parts if part).strip()[-_OUTPUT:]
    head = f"{call.get('title') or call['toolCallId']} ({call['status']})"
    return f"{head}\n{output}" if output else head
