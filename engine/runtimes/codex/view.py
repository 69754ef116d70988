"""What an app-server's lines tell of its thread: turn, items, open requests, and what to tell others (pure)."""

from dataclasses import dataclass, field
from typing import Literal

from engine.domain.gates import Edit, Question
from engine.ports.runtime import Activity, Conversation, Notice, Said, Signal, Withdrawn
from engine.runtimes.codex.questions import edits_of, handle, plain_command, question
from engine.runtimes.jsonlines import Json

_OUTPUT = 2_000  # characters of a command's output that the transcript keeps
Wait = Literal["turn", "model", "other", "over"]  # what the turn waits for, for the patience with the model


@dataclass(frozen=True, slots=True)
class Pending:
    """A request that waits for its answer."""

    id: int | str
    question: Question


@dataclass(frozen=True, slots=True)
class Seen:
    """What one message meant."""

    signals: tuple[Signal, ...] = ()
    wait: Wait | None = None
    growing: str = ""  # a piece of what is being said
    asked: Pending | None = None
    resolved: str | None = None  # handle of a request that is over
    unknown: Json | None = None  # a request that has to be refused


@dataclass(slots=True)
class View:
    """One thread. ``see`` takes its messages in order."""

    cwd: str
    thread: str | None = None
    turn: str | None = None
    pending: dict[str, Pending] = field(default_factory=dict)
    working: bool = False
    resolved: set[str] = field(default_factory=set)  # handles of the requests that are over
    _edits: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    _tools: set[str] = field(default_factory=set)

    def see(self, message: Json) -> Seen:
        """Take one message of the server that is no response."""
        if "id" in message:
            return self._request(message)
        params = message.get("params") or {}
        match message["method"]:
            case "thread/started":
                return self._started(params)
            case "thread/status/changed":
                return self._status(params["status"])
            case "turn/started":
                return self._begun(params["turn"])
            case "turn/completed":
                return self._completed(params["turn"])
            case "item/started" | "item/completed" | "item/agentMessage/delta":
                return self._item(message["method"], params)
            case "serverRequest/resolved":
                return self._resolved(params["requestId"])
            case "error":
                return self._error(params)
            case _:
                return Seen()

    def _request(self, message: Json) -> Seen:
        asked = question(message, self._edits.get(str(message["params"].get("itemId")), ()), self.cwd)
        if asked is None:
            return Seen(unknown=message)
        pending = Pending(message["id"], asked)
        self.pending[handle(message)] = pending
        return Seen(asked=pending, wait="other")

    def _started(self, params: Json) -> Seen:
        self.thread = params["thread"]["id"]
        return Seen((Conversation(self.thread),))

    def _status(self, status: Json) -> Seen:
        kind = status["type"]
        if kind == "active":
            self.working = True
            waiting = "waitingOnApproval" in (status.get("activeFlags") or ())
            return Seen(() if waiting else (Activity("working"),))
        if kind == "systemError":
            return Seen((Notice("Codex reports an error of its own system; its output says more."),))
        return Seen()  # idle comes with the turn's end, which says how it ended

    def _completed(self, turn: Json) -> Seen:
        self.turn, self.working = None, False
        self._tools.clear()
        self._edits.clear()
        over = tuple(Withdrawn(name, "withdrawn") for name in self.pending)
        self.pending.clear()
        told: tuple[Signal, ...] = ()
        if turn["status"] == "failed":
            told = (Notice(f"Codex could not finish its turn: {_fault(turn.get('error'))}"),)
        elif turn["status"] == "interrupted":
            told = (Said("tool", "Interrupted."),)
        return Seen((*over, *told, Activity("ready")), wait="over")

    def _begun(self, turn: Json) -> Seen:
        self.turn, self.working = turn["id"], True
        return Seen((Activity("working"),), wait="turn")

    def _item(self, method: str, params: Json) -> Seen:
        if method == "item/agentMessage/delta":
            return Seen(growing=str(params["delta"]), wait="model")
        return self._item_started(params["item"]) if method == "item/started" else self._item_completed(params["item"])

    def _item_started(self, item: Json) -> Seen:
        if item["type"] == "fileChange":
            self._edits[item["id"]] = edits_of(item)
        if item["type"] in ("userMessage", "agentMessage", "reasoning", "plan"):
            return Seen(wait="model")
        self._tools.add(item["id"])
        return Seen(wait="other")

    def _item_completed(self, item: Json) -> Seen:
        self._tools.discard(item["id"])
        return Seen(_said(item), wait="other" if self._tools or self.pending else "model")

    def _resolved(self, request: int | str) -> Seen:
        name = next((name for name, pending in self.pending.items() if pending.id == request), None)
        if name is None:
            return Seen()
        del self.pending[name]
        self.resolved.add(name)
        return Seen(resolved=name, wait="other")

    def _error(self, params: Json) -> Seen:
        if not params.get("willRetry"):
            return Seen()  # the end of the turn tells it
        text = f"Codex has trouble with its model and tries again: {_fault(params.get('error'))}"
        return Seen((Notice(text),))


def _said(item: Json) -> tuple[Signal, ...]:
    match item["type"]:
        case "agentMessage":
            return (Said("agent", item["text"]),) if item["text"] else ()
        case "commandExecution":
            return (Said("tool", _ran(item)),)
        case "fileChange":
            named = ", ".join(f"{edit.kind} {edit.path}" for edit in edits_of(item))
            return (Said("tool", f"{named}: {item.get('status')}"),)
        case "mcpToolCall":
            return (Said("tool", f"{item.get('server')}.{item.get('tool')}: {item.get('status')}"),)
        case _:
            return ()


def _ran(item: Json) -> str:
    command, output = plain_command(str(item["command"])), str(item.get("aggregatedOutput") or "").strip()
    code = item.get("exitCode")
    how = str(item.get("status")) if code is None else f"exit {code}"
    return f"$ {command}\n{output[-_OUTPUT:]}\n({how})" if output else f"$ {command}\n({how})"


def _fault(error: Json | None) -> str:
    found = error or {}
    more = f" ({found['additionalDetails']})" if found.get("additionalDetails") else ""
    return f"{found.get('message') or 'it does not say why'}{more}"
