"""The book of gates, kept in project.json (what is open), the run's journal (what happened) and the audit."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from engine.domain.chat import AuditLine
from engine.domain.errors import NotFound
from engine.domain.events import EventType
from engine.domain.gates import Gate, Via
from engine.domain.ids import new_id
from engine.gates.ports import STATE_AFTER, GateEntry, GateRecord, record_of
from engine.ports.hub import Hub
from engine.ports.runtime import Runtime
from engine.runtimes import catalog
from engine.sessions.registry import Registry
from engine.storage.project_file import ProjectFile
from engine.storage.runs import Runs
from engine.storage.store import Store

_ENTRY = TypeAdapter(GateEntry)
REMEMBERED = 2_000  # past gates that this life of the engine can still explain
JOURNAL_TAIL = 2_000  # lines read of a run's journal to know its gates again after a restart

Recheck = Callable[[Gate], Awaitable[Gate]]
Shown = Callable[[Gate, bool], dict[str, Any]]


class Book:
    """Implements :class:`engine.gates.ports.GateBook` over storage."""

    def __init__(
        self, store: Store, runs: Runs, registry: Registry, hub: Hub, *, recheck: Recheck, shown: Shown
    ) -> None:
        self._store = store
        self._runs = runs
        self._registry = registry
        self._hub = hub
        self._recheck = recheck
        self._shown = shown
        self._queues: dict[str, tuple[Gate, ...]] = {}
        self._known: OrderedDict[str, tuple[Gate, tuple[GateEntry, ...]]] = OrderedDict()
        self._names: dict[str, str] = {}
        self._echoed: set[str] = set()

    async def load(self, agent_id: str, name: str, gates: tuple[Gate, ...]) -> None:
        """Take up what an earlier life of the engine left open for one agent."""
        self._names[agent_id] = name
        self._queues[agent_id] = gates
        for gate in gates:
            run = await asyncio.to_thread(self._runs.get, gate.run_id)
            lines = await asyncio.to_thread(self._runs.tail_journal, run, JOURNAL_TAIL)
            entries = [_ENTRY.validate_python(line["data"]) for line in lines if line["type"] in STATE_AFTER]
            self._remember(gate, tuple(entry for entry in entries if entry.gate_id == gate.id))

    def name(self, agent_id: str, name: str) -> None:
        """The agent's present name, for sentences."""
        self._names[agent_id] = name

    def queue(self, agent_id: str) -> tuple[Gate, ...]:
        """The agent's open gates, head first."""
        return self._queues.get(agent_id, ())

    def forget(self, agent_id: str) -> None:
        """The agent was deleted."""
        self._queues.pop(agent_id, None)
        self._names.pop(agent_id, None)

    def covers_echo(self, agent_id: str, command: str | None) -> bool:
        """Whether the echo of a started command belongs to a gate of it; each gate covers one echo."""
        for gate_id, (gate, entries) in self._known.items():
            if gate.agent_id != agent_id or gate.command != command or gate_id in self._echoed:
                continue
            record = record_of(gate, entries)
            if record.state != "closed" or (record.decided and record.decided.decision == "approve"):
                self._echoed.add(gate_id)
                return True
        return False

    def decided(self, run_id: str, handle: str) -> bool:
        """Whether the request that a structured source names was answered, or is over, already."""
        for gate, entries in self._known.values():
            if gate.run_id == run_id and gate.handle == handle:
                return record_of(gate, entries).state in ("delivered", "closed")
        return False

    async def find(self, gate_id: str) -> GateRecord | None:
        known = self._known.get(gate_id)
        return None if known is None else record_of(*known)

    async def head(self, agent_id: str) -> Gate | None:
        queue = self.queue(agent_id)
        return queue[0] if queue else None

    async def open_gates(self, agent_id: str) -> tuple[GateRecord, ...]:
        return tuple(record_of(*self._known[gate.id]) for gate in self.queue(agent_id))

    async def put(self, gate: Gate) -> None:
        await self._save(gate, (*self.queue(gate.agent_id), gate))
        self._remember(gate, self._known.get(gate.id, (gate, ()))[1])

    async def replace(self, old: Gate, new: Gate) -> None:
        await self._save(old, tuple(new if gate.id == old.id else gate for gate in self.queue(old.agent_id)))

    async def clear(self, gate: Gate) -> None:
        await self._save(gate, tuple(kept for kept in self.queue(gate.agent_id) if kept.id != gate.id))

    async def journal(self, gate: Gate, entry: GateEntry) -> None:
        run = await asyncio.to_thread(self._runs.get, gate.run_id)
        await asyncio.to_thread(self._runs.journal, run, entry.type, _ENTRY.dump_python(entry, mode="json"))
        entries = self._known.get(gate.id, (gate, ()))[1]
        self._remember(gate, (*entries, entry))

    async def audit(self, line: AuditLine, gate: Gate) -> None:
        recent = await asyncio.to_thread(self._store.tail_audit, gate.project_id, 20)
        if any(kept.get("id") == line.id for kept in recent):
            return
        whole = replace(line, gate=asdict(gate))
        await asyncio.to_thread(self._store.append_audit, gate.project_id, whole)

    async def publish(self, event: EventType, gate: Gate, data: Mapping[str, Any]) -> None:
        head = self.queue(gate.agent_id)[:1]
        view = self._shown(gate, bool(head) and head[0].id == gate.id)
        self._hub.publish(event, {"gate": view, **data})
        life = self._registry.get(gate.agent_id)
        if life is not None:
            await life.set_state(waiting=bool(head))

    async def recheck(self, gate: Gate) -> Gate:
        return await self._recheck(gate)

    async def follow_up(self, gate: Gate, text: str) -> Literal["delivered", "queued", "dropped"]:
        life = self._registry.get(gate.agent_id)
        if life is None or not _takes_prose(life.agent.cli):
            return "dropped"
        record = await self.find(gate.id)
        via: Via = record.decided.via if record is not None and record.decided is not None else "policy"
        message = await life.mailbox.post(new_id("m"), text, sender="conduit", via=via)
        return "delivered" if message.state == "delivered" else "queued"

    def runtime(self, agent_id: str) -> Runtime | None:
        life = self._registry.get(agent_id)
        return None if life is None else life.runtime

    def agent_name(self, agent_id: str) -> str:
        return self._names.get(agent_id, agent_id)

    async def _save(self, gate: Gate, queue: tuple[Gate, ...]) -> None:
        def change(file: ProjectFile) -> ProjectFile:
            return file.with_gates(gate.agent_id, queue)

        try:
            await asyncio.to_thread(self._store.mutate_project, gate.project_id, change)
        except NotFound:
            if queue:  # a gate can't be opened for an agent that is gone; clearing one is harmless
                raise
        self._queues[gate.agent_id] = queue

    def _remember(self, gate: Gate, entries: tuple[GateEntry, ...]) -> None:
        self._known[gate.id] = (gate, entries)
        self._known.move_to_end(gate.id)
        open_now = {kept.id for queue in self._queues.values() for kept in queue}
        while len(self._known) > REMEMBERED:
            oldest = next((gate_id for gate_id in self._known if gate_id not in open_now), None)
            if oldest is None:
                return
            del self._known[oldest]


def _takes_prose(cli: str) -> bool:
    """Whether sentences may be typed at it: a command of the user's own could be a shell, which would run them."""
    entry = catalog.load().find(cli)
    return entry is not None and entry.prose
