"""A book of gates in memory and an agent that counts what reaches it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from engine.domain.chat import AuditLine
from engine.domain.errors import Conflict
from engine.domain.events import EventType
from engine.domain.gates import Choice, Gate, Keys, Question, Reply
from engine.gates.consent import Reading, VoiceSessions, gate_subject
from engine.gates.ports import STATE_AFTER, GateEntry, GateRecord, record_of
from engine.ports.runtime import Answered, Exited, Launch, Screen, Signal, Told

YES = Choice("y", "approve", Keys(("y", "\r")))
NO = Choice("N", "reject", Keys(("n", "\r")))
ALWAYS = Choice("Yes, and don't ask again", "always", Keys(("2",)))


def make_gate(gate_id: str = "g-0000000001", **changes: Any) -> Gate:
    """A harmful gate of agent a-1 with y and n."""
    given: dict[str, Any] = {
        "id": gate_id,
        "agent_id": "a-1",
        "project_id": "p-1",
        "run_id": "run",
        "prompt": "Run rm -rf build? [y/N]",
        "command": "rm -rf build",
        "choices": (YES, NO),
        "source": "regex",
        "tier": "harmful",
        "fingerprint": f"print of {gate_id}",
        "raised_at": "2026-01-01T00:00:00.000Z",
    }
    return Gate(**(given | changes))


class CountingRuntime:
    """Answers whatever it is asked, and remembers it; ``fault`` and ``gone`` steer it."""

    liveness_only = True

    def __init__(self) -> None:
        self.launch = Launch(run_id="run", agent_id="a-1", cli="x", argv=(), cwd=Path(), env={}, control=Path())
        self.replies: list[Reply] = []
        self.freezes = 0
        self.gone = True
        self.fault: Exception | None = None
        self.pause: asyncio.Event | None = None
        self.writing = asyncio.Event()

    async def answer(self, reply: Reply, question: Question) -> Answered:
        self.writing.set()
        if self.pause is not None:
            await self.pause.wait()
        await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        self.replies.append(reply)
        return Answered("typed " + (" ".join(reply.writes) if isinstance(reply, Keys) else repr(reply)), self.gone)

    async def freeze(self) -> int:
        self.freezes += 1
        return 1

    async def thaw(self) -> None:
        raise AssertionError("resolve thaws through answer only")

    async def frozen(self) -> bool:
        return True

    async def tell(self, text: str) -> Told:
        return "delivered"

    async def interrupt(self) -> None: ...

    async def stop(self) -> Exited:
        return Exited(0, "stopped")

    async def write(self, data: bytes) -> None: ...

    async def resize(self, rows: int, cols: int) -> None: ...

    async def replay(self, after: int | None = None) -> tuple[int, bytes]:
        return 0, b""

    def screen(self) -> Screen:
        raise AssertionError("resolve never looks at the screen itself")

    async def detach(self) -> None: ...

    async def signals(self) -> AsyncIterator[Signal]:
        return
        yield  # an iterator that ends at once


class MemoryBook:
    """GateBook in memory; ``order`` tells in which order things became durable."""

    def __init__(self) -> None:
        self.agent = CountingRuntime()
        self.alive = True
        self.gates: dict[str, Gate] = {}
        self.queue: list[str] = []
        self.entries: list[GateEntry] = []
        self.lines: list[AuditLine] = []
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        self.messages: list[str] = []
        self.order: list[str] = []
        self.drift: dict[str, str] = {}  # gate id -> its fingerprint now
        self.seen: dict[str, Any] = {}  # what recheck finds besides
        self.clear_fault: Exception | None = None
        self.journal_fault: Exception | None = None
        self.at_recheck: Callable[[], object] = lambda: None

    async def find(self, gate_id: str) -> GateRecord | None:
        await asyncio.sleep(0)
        gate = self.gates.get(gate_id)
        return None if gate is None else record_of(gate, tuple(self.entries))

    async def head(self, agent_id: str) -> Gate | None:
        return self.gates[self.queue[0]] if self.queue else None

    async def open_gates(self, agent_id: str) -> tuple[GateRecord, ...]:
        return tuple(record_of(self.gates[key], tuple(self.entries)) for key in self.queue)

    async def put(self, gate: Gate) -> None:
        self.gates[gate.id] = gate
        self.queue.append(gate.id)

    async def replace(self, old: Gate, new: Gate) -> None:
        self.gates[new.id] = new
        self.queue[self.queue.index(old.id)] = new.id

    async def clear(self, gate: Gate) -> None:
        if self.clear_fault is not None:
            raise self.clear_fault
        self.order.append("clear")
        if gate.id in self.queue:
            self.queue.remove(gate.id)

    async def journal(self, gate: Gate, entry: GateEntry) -> None:
        await asyncio.sleep(0)
        if self.journal_fault is not None:
            raise self.journal_fault
        assert entry.type in STATE_AFTER
        self.gates.setdefault(gate.id, gate)
        self.order.append(entry.type)
        self.entries.append(entry)

    async def audit(self, line: AuditLine, gate: Gate) -> None:
        self.order.append("audit")
        if line.id not in [known.id for known in self.lines]:
            self.lines.append(line)

    async def publish(self, event: EventType, gate: Gate, data: Mapping[str, Any]) -> None:
        self.order.append(event)
        self.events.append((event, gate.id, dict(data)))

    async def recheck(self, gate: Gate) -> Gate:
        self.at_recheck()
        seen = replace(gate, fingerprint=self.drift.get(gate.id, gate.fingerprint))
        return replace(seen, **self.seen)

    async def follow_up(self, gate: Gate, text: str) -> Literal["delivered", "queued", "dropped"]:
        if self.queue:
            raise Conflict("another gate is open")
        self.messages.append(text)
        return "queued"

    def runtime(self, agent_id: str) -> CountingRuntime | None:
        return self.agent if self.alive else None

    def agent_name(self, agent_id: str) -> str:
        return "backend"

    def of(self, gate_id: str) -> list[str]:
        return [entry.type for entry in self.entries if entry.gate_id == gate_id]


def scores(reading: Reading, word: str | None = None, lead: float = 5.0) -> dict[str, float]:
    """What a recogniser would give when ``word`` was said (the right one by default)."""
    found = {key: -10.0 for key in (*reading.words, *reading.refusals)}
    found[word or reading.word or reading.words[0]] = -10.0 + lead
    return found


def read_out(sessions: VoiceSessions, session: str, gate: Gate, *names: str) -> tuple[Reading, str]:
    """A whole reading: (reading, receipt)."""
    reading = sessions.reading(session, gate_subject(gate, names or ("backend",)))
    return reading, sessions.played(session, reading.id)


def say(sessions: VoiceSessions, session: str, reading: Reading, receipt: str, text: str | None = None) -> str:
    """The right utterance, or ``text``, clearly; the verdict."""
    said = text or f"I approve, {reading.word}."
    return sessions.heard(session, said, 0.95, receipt, scores(reading)).verdict
