"""Carries out one decision under the lock of its agent: journal, answer, journal, clear, audit, event."""

import logging
from dataclasses import replace

from engine.domain.errors import ConduitError, Conflict, ConsentRefused, Unavailable
from engine.domain.gates import Gate, Resolution, move
from engine.domain.ids import new_id
from engine.gates.answers import Delivery, question_of
from engine.gates.lines import audit_line, by_voice, entry, resolution_of
from engine.gates.ports import Consent, Decided, GateBook, ResolveRequest
from engine.ports.clock import Clock, stamp
from engine.ports.runtime import Answered, Runtime

_log = logging.getLogger(__name__)


class Deliverer:
    """The acting half of the resolver; its callers hold the agent's lock and have decided."""

    def __init__(self, book: GateBook, clock: Clock, consent: Consent) -> None:
        self._book = book
        self._clock = clock
        self._consent = consent

    async def deliver(self, gate: Gate, request: ResolveRequest, sends: Delivery, phrase: str | None) -> Resolution:
        """Answer the agent once; raises, with the gate open again, when the answer did not arrive for certain."""
        runtime = self._book.runtime(gate.agent_id)
        if runtime is None:
            raise Unavailable(
                f"{self._book.agent_name(gate.agent_id)} is not running, so gate {gate.id} can't be answered."
            )
        if phrase is not None:
            self._consent.confirm(request.voice_session, gate)
        decided = Decided(
            decision=request.decision,
            via=request.via,
            at=stamp(self._clock),
            audit_id=new_id("au"),
            custom_input=request.custom_input,
            request_id=request.request_id,
            authorising_phrase=phrase,
            policy_rule=request.policy_rule,
        )
        move("open", "answered")
        await self._book.journal(gate, entry("gate_answered", gate, stamp(self._clock), decided=decided))
        answered = await self._answer(runtime, gate, request, sends, decided)
        if not answered.gone:
            await self._stayed(runtime, gate, decided, answered)
        return await self._delivered(gate, decided, answered, sends.message or answered.extra.get("untold"))

    async def confirm(self, gate: Gate, decided: Decided) -> Resolution:
        """Complete a decision whose answer an earlier engine has written, as the agent itself confirms."""
        answered = Answered(f"answered {decided.decision} just before the engine ended", True)
        return await self._delivered(gate, decided, answered, None)

    async def _delivered(self, gate: Gate, decided: Decided, answered: Answered, message: str | None) -> Resolution:
        move("answered", "delivered")
        resolution = resolution_of(gate, self._book.agent_name(gate.agent_id), decided, answered)
        await self._book.journal(
            gate, entry("gate_delivered", gate, stamp(self._clock), decided=decided, resolution=resolution)
        )
        self._consent.forget(gate.id)
        return await self.finish(gate, decided, resolution, message)

    async def _answer(
        self, runtime: Runtime, gate: Gate, request: ResolveRequest, sends: Delivery, decided: Decided
    ) -> Answered:
        try:
            return await runtime.answer(sends.reply, question_of(gate))
        except Conflict as fault:
            await self.reopen(runtime, gate, decided, f"Nothing was sent: {fault}")
            if by_voice(request):
                raise ConsentRefused("changed", str(fault)) from fault
            raise
        except (ConduitError, OSError) as fault:
            await self.reopen(runtime, gate, decided, f"It is not certain what reached the agent: {fault}")
            raise Unavailable(
                f"Gate {gate.id} could not be answered for certain ({fault}); look at the agent, then decide anew."
            ) from fault

    async def _stayed(self, runtime: Runtime, gate: Gate, decided: Decided, answered: Answered) -> None:
        """The answer was written but the question is still there: open again, and that is said."""
        reason = f"The question of gate {gate.id} is still there after {answered.action}; it is open again."
        await self.reopen(runtime, gate, decided, reason)
        line = audit_line(gate, decided, answered.action)
        await self._book.audit(replace(line, reason=reason), gate)
        raise Conflict(reason, {"action": answered.action})

    async def reopen(self, runtime: Runtime | None, gate: Gate, decided: Decided | None, reason: str) -> None:
        """Open again what was being answered: the agent is stopped, and the user is asked anew."""
        move("answered", "open")
        await self._book.journal(gate, entry("gate_reopened", gate, stamp(self._clock), decided=decided, reason=reason))
        self._consent.forget(gate.id)
        if runtime is not None:
            await self._freeze(runtime, gate.agent_id)
        await self._book.publish("gate:triggered", gate, {"again": True, "reason": reason})

    async def finish(self, gate: Gate, decided: Decided, resolution: Resolution, message: str | None) -> Resolution:
        """All that follows a delivery. Harmless to repeat: the audit line has its id already."""
        await self._book.clear(gate)
        runtime = self._book.runtime(gate.agent_id)
        if runtime is not None and await self._book.head(gate.agent_id) is not None:
            await self._freeze(runtime, gate.agent_id)
        if message:
            resolution = replace(resolution, action=f"{resolution.action}; {await self._follow_up(gate, message)}")
        await self._book.audit(audit_line(gate, decided, resolution.action), gate)
        told = {"decision": decided.decision, "via": decided.via, "action": resolution.action}
        await self._book.publish("gate:resolved", gate, told)
        return resolution

    async def _follow_up(self, gate: Gate, message: str) -> str:
        try:
            outcome = await self._book.follow_up(gate, message)
        except (ConduitError, OSError) as fault:
            return f"the message to it failed ({fault})"
        return {
            "delivered": f"then told it: {message}",
            "queued": f"a message waits for it: {message}",
            "dropped": "no sentence followed, since this kind of agent may take one for a command",
        }[outcome]

    async def _freeze(self, runtime: Runtime, agent_id: str) -> None:
        """Stop the agent again; a fault is logged, since the gate itself is what keeps it from being answered."""
        try:
            await runtime.freeze()
        except (ConduitError, OSError) as fault:
            _log.error("%s could not be frozen again: %s", self._book.agent_name(agent_id), fault)
