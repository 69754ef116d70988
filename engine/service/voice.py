"""Consent by voice over HTTP, and what the voice process tells of itself."""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, cast

from engine.domain.errors import BadRequest, Conflict
from engine.domain.gates import Gate
from engine.domain.secrets import mask
from engine.domain.wire import ReadingView, VoiceView
from engine.gates.consent import Subject, gate_subject, plan_subject
from engine.ports.clock import stamp
from engine.service.office import Office
from engine.storage.project_file import ProjectFile

_WIRE = {"timings_ms": "timingsMs", "updated_at": "updatedAt"}


class VoiceService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def voice_session(self) -> dict[str, str]:
        return {"id": self._office.consent.open()}

    async def voice_reading(
        self, *, session: str, gate_id: str | None = None, plan_id: str | None = None
    ) -> ReadingView:
        """What has to be read aloud, whole, before it can be approved by voice."""
        if (gate_id is None) == (plan_id is None):
            raise BadRequest("A reading is of one gate or of one plan: give gateId or planId.")
        files = await self._office.files()
        subject = self._gate(files, gate_id) if gate_id else await self._plan(files, plan_id or "")
        reading = self._office.consent.reading(session, subject, avoid=self._avoid(files))
        return {
            "readingId": reading.id,
            "fingerprint": reading.subject.fingerprint,
            "text": reading.subject.text,
            "word": reading.word,
            "words": list(reading.words),
            "refusals": list(reading.refusals),
        }

    async def voice_played(self, *, session: str, reading_id: str) -> dict[str, str]:
        return {"receipt": self._office.consent.played(session, reading_id)}

    async def voice_heard(
        self,
        *,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None,
        word_scores: dict[str, float] | None = None,
        others: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """``others``: less likely readings of the same sound, ``text`` and ``confidence`` each."""
        readings = [(str(one["text"]), float(one["confidence"])) for one in others]
        heard = self._office.consent.heard(session, text, confidence, receipt, word_scores, readings)
        return {
            "verdict": heard.verdict,
            "condition": heard.condition,
            "sentence": heard.sentence,
            "subjectId": heard.subject_id,
        }

    async def voice_state(self, **fields: Any) -> None:
        """What voice last heard, said and does, for the page; masked like everything that is shown."""
        told = {_WIRE.get(name, name): value for name, value in fields.items()}
        for name in {"heard", "said", "note", "pending"} & told.keys():
            told[name] = mask(told[name])[0] if told[name] else None
        merged = {**self._office.voice, "connected": True, **told, "updatedAt": stamp(self._office.clock)}
        self._office.voice = cast(VoiceView, merged)
        self._office.hub.publish("voice:state", dict(merged))

    async def voice_command(self, *, action: Literal["listen", "silence"]) -> None:
        """The page's button: talk now, or be silent."""
        self._office.hub.publish("voice:command", {"action": action})

    def _gate(self, files: list[ProjectFile], gate_id: str) -> Subject:
        for file in files:
            for agent in file.agents:
                queue = self._office.book.queue(agent.id)
                found: Gate | None = next((gate for gate in queue if gate.id == gate_id), None)
                if found is None:
                    continue
                if queue[0].id != gate_id:
                    raise Conflict(f"Gate {gate_id} is not first; read gate {queue[0].id} of {agent.name} before it.")
                return gate_subject(found, names=(agent.name, file.project.name))
        raise Conflict(f"Gate {gate_id} is not open any more; nothing is left to read.", {"closed": "resolved"})

    async def _plan(self, files: list[ProjectFile], plan_id: str) -> Subject:
        plans = await self._office.plan_views()
        for file in files:
            for plan in file.pending_plans:
                if plan.id == plan_id:
                    view = next(view for view in plans if view["id"] == plan_id)
                    names = (view["targetAgentName"], file.project.name, str(view["number"]))
                    return plan_subject(plan, names=names)
        raise Conflict(f"Plan {plan_id} is not waiting any more; nothing is left to read.", {"closed": "resolved"})

    def _avoid(self, files: list[ProjectFile]) -> list[str]:
        """Names and open texts in which no one-time word may be."""
        texts = []
        for file in files:
            texts += [file.project.name, *(agent.name for agent in file.agents)]
            texts += [plan.proposed_message for plan in file.pending_plans]
            for agent in file.agents:
                for gate in self._office.book.queue(agent.id):
                    texts += [gate.prompt, gate.command or ""]
        return texts


async def forget_silent_voice(office: Office, seconds: float) -> None:
    """Runs for as long as the engine: a voice that told nothing for ``seconds`` is shown as gone."""
    while True:
        seen = office.voice["updatedAt"]
        await office.clock.sleep(seconds)
        if office.voice["connected"] and office.voice["updatedAt"] == seen:
            office.voice = {**office.voice, "connected": False, "listening": "off"}
            office.hub.publish("voice:state", dict(office.voice))
            await asyncio.sleep(0)
