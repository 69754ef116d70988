"""The one function that resolves every gate, for voice, page, CLI, terminal and policy."""

import asyncio
import logging
from dataclasses import replace

from engine.domain.errors import BadRequest, Conflict, ConsentRefused, Forbidden, NotFound
from engine.domain.gates import CloseReason, Decision, Gate, Resolution, move
from engine.domain.ids import new_id
from engine.gates.answers import delivery, is_stricter, strictest
from engine.gates.deliver import Deliverer
from engine.gates.lines import (
    by_voice,
    details_of,
    entry,
    how_closed,
    how_decided,
    same_request,
    terminal_line,
)
from engine.gates.ports import Consent, GateBook, GateRecord, ResolveRequest
from engine.gates.recovery import Recovered, recovery
from engine.ports.clock import Clock, stamp
from engine.ports.runtime import Remembers

STOP_MESSAGE = "That was rejected. Stop here, don't try it another way, and explain what you wanted to do."

_log = logging.getLogger(__name__)


class Resolver:
    """Decides gates one at a time for each agent. Owns the tasks that deliver; ``aclose`` waits for them."""

    def __init__(
        self, book: GateBook, clock: Clock, consent: Consent, *, stop_message: str | None = STOP_MESSAGE
    ) -> None:
        self._book = book
        self._clock = clock
        self._consent = consent
        self._delivery = Deliverer(book, clock, consent)
        self._stop_message = stop_message
        self._locks: dict[str, asyncio.Lock] = {}
        self._running: dict[tuple[str, str, Decision, str | None], asyncio.Task[Resolution]] = {}
        self._tasks: set[asyncio.Task[Resolution]] = set()

    async def open(self, gate: Gate) -> None:
        """Take up a new gate: journal, queue, event. Its agent is frozen already."""
        async with self._lock(gate.agent_id):
            await self._begin(gate)
            await self._book.put(gate)
            await self._book.publish("gate:triggered", gate, {})

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Carry out one decision; a caller that goes away doesn't stop half of it. Raises ConduitErrors."""
        if not request.gate_id:
            raise BadRequest("A decision names its gate: gateId is missing.")
        return await asyncio.shield(self._task(request))

    async def close(self, agent_id: str, gate_id: str, reason: CloseReason) -> bool:
        """Close an open gate that nobody resolved here; False if it was not open any more."""
        async with self._lock(agent_id):
            record = await self._book.find(gate_id)
            if record is None or record.gate.agent_id != agent_id or record.state not in {"open", "answered"}:
                return False
            await self._close(record, reason)
            return True

    async def recover(self, agent_id: str, *, alive: bool) -> list[Recovered]:
        """After a start of the engine: finish what was delivered, ask again what is in doubt, close what is lost."""
        done: list[Recovered] = []
        async with self._lock(agent_id):
            for record in await self._book.open_gates(agent_id):
                step = recovery(record, alive=alive, arrived=alive and await self._arrived(record))
                await self._recover(record, step)
                done.append(Recovered(record.gate.id, step))
        return done

    async def aclose(self) -> None:
        """Wait until every delivery that has begun is over; each ends by itself in bounded time."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _now(self) -> str:
        return stamp(self._clock)

    def _lock(self, agent_id: str) -> asyncio.Lock:
        return self._locks.setdefault(agent_id, asyncio.Lock())

    def _task(self, request: ResolveRequest) -> asyncio.Task[Resolution]:
        """One task a request; a repeat of a request that still runs shares its task."""
        key = (request.gate_id, request.request_id or "", request.decision, request.custom_input)
        running = self._running.get(key) if request.request_id else None
        if running is not None:
            return running
        task = asyncio.create_task(self._resolve(request))
        self._tasks.add(task)
        if request.request_id:
            self._running[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))
        return task

    def _ended(self, key: tuple[str, str, Decision, str | None], task: asyncio.Task[Resolution]) -> None:
        self._tasks.discard(task)
        if self._running.get(key) is task:
            del self._running[key]
        if not task.cancelled() and task.exception() is not None:
            _log.info("gate %s was not resolved: %s", key[0], task.exception())

    async def _resolve(self, request: ResolveRequest) -> Resolution:
        if request.decision == "reject":
            self._consent.refuse(request.gate_id)
        try:
            return await self._decide(request)
        except ConsentRefused:
            await self._say_if_decided(request)
            raise

    async def _decide(self, request: ResolveRequest) -> Resolution:
        async with self._lock(request.agent_id):
            record = await self._record(request)
            if record.resolution and record.state == "delivered":
                return record.resolution
            gate = await self._unchanged(record.gate, request)
            sends = delivery(gate, request.decision, request.custom_input, self._stop_message)
            phrase = self._authorise(gate, request)
            if phrase is None or gate.tier != "harmful":
                return await self._delivery.deliver(gate, request, sends, phrase)
        # Outside the lock, so that a rejection by any way gets in before the delivery.
        await self._consent.grace(request.voice_session, gate)
        return await self._after_grace(request, phrase)

    async def _after_grace(self, request: ResolveRequest, phrase: str) -> Resolution:
        async with self._lock(request.agent_id):
            record = await self._record(request)
            if record.resolution and record.state == "delivered":
                return record.resolution
            gate = await self._unchanged(record.gate, request)
            sends = delivery(gate, request.decision, request.custom_input, self._stop_message)
            return await self._delivery.deliver(gate, request, sends, phrase)

    async def _say_if_decided(self, request: ResolveRequest) -> None:
        """Raise Conflict with the decision that took the approval back, once that one is carried out."""
        async with self._lock(request.agent_id):  # a rejection stands before us in its queue
            record = await self._book.find(request.gate_id)
        if record is not None and record.gate.agent_id == request.agent_id and record.state == "delivered":
            raise Conflict(how_decided(record), details_of(record)) from None

    async def _record(self, request: ResolveRequest) -> GateRecord:
        """The open gate of the request, or the same request's earlier result; raises what is in the way."""
        record = await self._book.find(request.gate_id)
        if record is None or record.gate.agent_id != request.agent_id:
            raise NotFound(
                f"There is no gate {request.gate_id} of this agent any more; nothing was sent. "
                "If the agent still wants it, it will ask again; `conduit gates` lists what is open."
            )
        await self._settle(record)
        if record.state == "delivered" and same_request(record.decided, request):
            return record
        self._still_open(record, request)
        head = await self._book.head(request.agent_id)
        if head is None or head.id != record.gate.id:
            raise Conflict(
                f"Gate {record.gate.id} is not first: answer gate {head.id if head else '(none)'} of "
                f"{self._book.agent_name(request.agent_id)} before it."
            )
        return record

    async def _settle(self, record: GateRecord) -> None:
        """Complete what a fault (a full disk) cut off in the middle of an earlier decision; nothing is pressed."""
        if record.state == "delivered" and record.decided and record.resolution:
            head = await self._book.head(record.gate.agent_id)
            if head is not None and head.id == record.gate.id:
                await self._delivery.finish(record.gate, record.decided, record.resolution, None)
        if record.state == "answered" and record.decided:
            runtime = self._book.runtime(record.gate.agent_id)
            reason = f"It is not certain whether the answer to gate {record.gate.id} arrived; it asks again."
            await self._delivery.reopen(runtime, record.gate, record.decided, reason)
            raise Conflict(reason)

    def _still_open(self, record: GateRecord, request: ResolveRequest) -> None:
        if request.request_id is not None and request.request_id in record.doubtful_requests:
            raise Conflict(
                f"It is not certain whether this decision reached the agent, so gate {record.gate.id} asks again; "
                "look at it and decide anew."
            )
        if record.state == "open":
            return
        if record.state == "closed" and by_voice(request):
            raise ConsentRefused("closed", how_closed(record))
        if record.state == "closed":
            raise Conflict(how_closed(record), details_of(record))
        raise Conflict(how_decided(record), details_of(record))

    async def _unchanged(self, gate: Gate, request: ResolveRequest) -> Gate:
        """The gate, if what it is about is still the same; else it is closed and another one asks."""
        if request.decision == "reject":
            return gate
        seen = await self._book.recheck(gate)
        if seen.fingerprint == gate.fingerprint and not is_stricter(seen, gate):
            return gate
        new = replace(strictest(seen, gate), id=new_id("g"), raised_at=self._now())
        sentence = f"What gate {gate.id} asks for has changed since it was shown; it is asked anew as gate {new.id}."
        await self._begin(new)
        await self._book.journal(
            gate, entry("gate_closed", gate, self._now(), reason=sentence, closed="withdrawn", replaced_by=new.id)
        )
        await self._book.replace(gate, new)
        self._consent.forget(gate.id)
        await self._book.publish("gate:resolved", gate, {"closed": "withdrawn", "replacedBy": new.id})
        await self._book.publish("gate:triggered", new, {"replaces": gate.id})
        if by_voice(request):
            raise ConsentRefused("changed", sentence)
        raise Conflict(sentence, {"replacedBy": new.id})

    def _authorise(self, gate: Gate, request: ResolveRequest) -> str | None:
        """Whether this way may take this decision; the authorising words for voice, else None."""
        if request.via == "policy":
            _policy_may(gate, request)
        if not by_voice(request):
            return None
        if gate.screen_only or not gate.speakable:
            why = gate.screen_only or "it asks for something that is never spoken"
            raise ConsentRefused("screen_only", f"Gate {gate.id} can be approved only on a screen: {why}.")
        text = request.custom_input or ""
        if request.decision == "custom" and not self._consent.needs_approval(gate, text):
            return None
        return self._consent.approve(request.voice_session, gate)

    async def _close(self, record: GateRecord, reason: CloseReason) -> None:
        move(record.state, "closed")
        gate = record.gate
        await self._book.journal(gate, entry("gate_closed", gate, self._now(), closed=reason))
        self._consent.forget(gate.id)
        await self._book.clear(gate)
        if reason == "answered_at_terminal":
            await self._book.audit(terminal_line(gate, self._now()), gate)
        await self._book.publish("gate:resolved", gate, {"closed": reason})

    async def _recover(self, record: GateRecord, step: str) -> None:
        if step == "finish" and record.decided and record.resolution:
            await self._delivery.finish(record.gate, record.decided, record.resolution, None)
        elif step == "ask_again":
            reason = "The engine ended while this was being answered; it is not certain whether the answer arrived."
            await self._delivery.reopen(self._book.runtime(record.gate.agent_id), record.gate, record.decided, reason)
        elif step == "confirm" and record.decided:
            await self._delivery.confirm(record.gate, record.decided)
        elif step == "withdraw":
            await self._close(record, "withdrawn")
        elif step == "close":
            await self._close(record, "process_lost")

    async def _arrived(self, record: GateRecord) -> bool:
        """Whether the agent says itself that the question is over; of most kinds nobody can know."""
        runtime: object = self._book.runtime(record.gate.agent_id)
        if record.gate.handle is None or not isinstance(runtime, Remembers):
            return False
        return await runtime.was_answered(record.gate.handle)

    async def _begin(self, gate: Gate) -> None:
        await self._book.journal(gate, entry("gate_opened", gate, self._now()))


def _policy_may(gate: Gate, request: ResolveRequest) -> None:
    if request.decision != "approve" or gate.tier != "routine" or gate.screen_only or not gate.speakable:
        raise Forbidden(f"A policy approves routine questions only; gate {gate.id} waits for its user.")
