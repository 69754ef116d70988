"""The one edge of the conversation: requests to calls of the engine, answers and refusals to inputs (blocking)."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from engine.domain.errors import BadRequest, ConduitError, ConsentRefused, NotFound
from engine.domain.wire import ReadingView
from voice.dialogue.inputs import Done, Failed, Opened
from voice.dialogue.requests import (
    Broadcast,
    CancelMessage,
    ConfirmPlayed,
    FetchChat,
    FetchOutput,
    FetchPolicy,
    PostNote,
    ReadAloud,
    ReportHeard,
    Request,
    ResolveGate,
    ResolvePlan,
    RunAgent,
    RunSession,
    Tell,
)

Outcome = Opened | Done | Failed
Scorer = Callable[[str, tuple[str, ...]], Mapping[str, float]]

_log = logging.getLogger(__name__)
_CHAT_LINES = 20


class Engine(Protocol):
    """The calls of ``engine.client.Client`` that a conversation needs."""

    def voice_session(self) -> dict[str, str]: ...
    def voice_reading(self, *, session: str, gate_id: str | None = None, plan_id: str | None = None) -> ReadingView: ...
    def voice_played(self, *, session: str, reading_id: str) -> dict[str, str]: ...
    def voice_heard(
        self,
        *,
        session: str,
        text: str,
        confidence: float,
        receipt: str | None,
        word_scores: dict[str, float] | None = None,
        others: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]: ...
    def resolve(
        self,
        *,
        project_id: str,
        agent_id: str,
        gate_id: str,
        decision: Any,
        custom_input: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
    ) -> Any: ...
    def resolve_plan(
        self,
        *,
        project_id: str,
        plan_id: str,
        decision: Any,
        reason: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
    ) -> dict[str, str]: ...
    def inject(self, *, project: str, agent: str, message: str, message_id: str | None = None) -> Any: ...
    def cancel_message(self, *, message_id: str) -> dict[str, bool]: ...
    def broadcast(self, *, project: str, message: str) -> dict[str, Any]: ...
    def start_agent(self, *, project_id: str, agent_id: str) -> Any: ...
    def stop_agent(self, *, project_id: str, agent_id: str) -> Any: ...
    def restart_agent(self, *, project_id: str, agent_id: str) -> Any: ...
    def resume_session(self, *, session: str) -> Any: ...
    def halt_session(self, *, session: str) -> Any: ...
    def policy(self) -> Any: ...
    def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> dict[str, Any]: ...
    def chat(self, *, project_id: str, limit: int = 50) -> Any: ...
    def post_chat(self, *, project_id: str, text: str) -> Any: ...


@dataclass(slots=True)
class Hands:
    """Carries requests out. ``score`` judges words on the sound of the utterance at hand; None at the keyboard."""

    engine: Engine
    score: Scorer | None = None
    by_voice: bool = True
    _session: str = field(default="")

    def session(self) -> str:
        """This conversation's voice session, begun when first needed."""
        if not self._session:
            self._session = self.engine.voice_session()["id"]
        return self._session

    def forget_session(self) -> None:
        """The engine is another one, or says that it knows no such session: what was read is gone too."""
        self._session = ""

    def do(self, request: Request) -> Outcome:
        """Carry out ``request``; a fault comes back as :class:`Failed` with its sentence, never as an exception."""
        try:
            return self._do(request)
        except ConsentRefused as refusal:
            return Failed(request, str(refusal), refusal.condition)
        except NotFound as error:
            if isinstance(request, ReportHeard | ReadAloud):
                self.forget_session()  # the engine says that it knows no such session; the next call begins one
            return Failed(request, str(error))
        except ConduitError as error:
            return Failed(request, str(error))

    def _do(self, request: Request) -> Outcome:
        """Once more where that is harmless: a word that did not get through would be lost for a decision."""
        try:
            return self._once(request)
        except (ConsentRefused, BadRequest, NotFound):
            raise
        except ConduitError as error:
            if not isinstance(request, ReportHeard | ReadAloud | ConfirmPlayed):
                raise
            _log.info("%s did not get through, trying once more: %s", type(request).__name__, error)
            return self._once(request)

    def _once(self, request: Request) -> Outcome:
        if isinstance(request, ReadAloud):
            ids = {"gate_id": request.id} if request.subject == "gate" else {"plan_id": request.id}
            return Opened(request, self.engine.voice_reading(session=self.session(), **ids))
        act = _ACTS.get(type(request))
        return Done(request, act(self, request) if act else {})


def _heard(hands: Hands, request: Any) -> Mapping[str, Any]:
    scores = dict(hands.score(request.text, request.score)) if hands.score and request.score else None
    return hands.engine.voice_heard(
        session=hands.session(),
        text=request.text,
        confidence=request.confidence,
        receipt=request.receipt,
        word_scores=scores,
        others=[{"text": text, "confidence": confidence} for text, confidence in request.others],
    )


def _played(hands: Hands, request: Any) -> Mapping[str, Any]:
    return hands.engine.voice_played(session=hands.session(), reading_id=request.reading_id)


def _resolve(hands: Hands, request: Any) -> Mapping[str, Any]:
    result = hands.engine.resolve(
        project_id=request.project_id,
        agent_id=request.agent_id,
        gate_id=request.gate_id,
        decision=request.decision,
        custom_input=request.text,
        request_id=request.request_id or uuid4().hex,
        voice_session=hands.session() if hands.by_voice else None,
    )
    return dict(result)


def _resolve_plan(hands: Hands, request: Any) -> Mapping[str, Any]:
    return hands.engine.resolve_plan(
        project_id=request.project_id,
        plan_id=request.plan_id,
        decision=request.decision,
        reason=request.reason,
        request_id=request.request_id or uuid4().hex,
        voice_session=hands.session() if hands.by_voice else None,
    )


def _tell(hands: Hands, request: Any) -> Mapping[str, Any]:
    message_id = request.message_id or None
    return dict(
        hands.engine.inject(
            project=request.project_id, agent=request.agent_id, message=request.text, message_id=message_id
        )
    )


def _cancel(hands: Hands, request: Any) -> Mapping[str, Any]:
    return hands.engine.cancel_message(message_id=request.message_id)


def _broadcast(hands: Hands, request: Any) -> Mapping[str, Any]:
    return hands.engine.broadcast(project=request.project_id, message=request.text)


def _run(hands: Hands, request: Any) -> Mapping[str, Any]:
    calls = {
        "start": hands.engine.start_agent,
        "stop": hands.engine.stop_agent,
        "restart": hands.engine.restart_agent,
    }
    return dict(calls[request.verb](project_id=request.project_id, agent_id=request.agent_id))


def _run_session(hands: Hands, request: Any) -> Mapping[str, Any]:
    calls = {"resume": hands.engine.resume_session, "halt": hands.engine.halt_session}
    return dict(calls[request.verb](session=request.session))


def _policy(hands: Hands, request: Any) -> Mapping[str, Any]:
    return dict(hands.engine.policy())


def _output(hands: Hands, request: Any) -> Mapping[str, Any]:
    return hands.engine.output(project_id=request.project_id, agent_id=request.agent_id)


def _chat(hands: Hands, request: Any) -> Mapping[str, Any]:
    return {"lines": hands.engine.chat(project_id=request.project_id, limit=_CHAT_LINES)}


def _note(hands: Hands, request: Any) -> Mapping[str, Any]:
    return dict(hands.engine.post_chat(project_id=request.project_id, text=request.text))


# Silence and ChangeManner concern the loudspeaker: the loop does them.
_ACTS: Mapping[type, Callable[[Hands, Any], Mapping[str, Any]]] = {
    ReportHeard: _heard,
    ConfirmPlayed: _played,
    ResolveGate: _resolve,
    ResolvePlan: _resolve_plan,
    Tell: _tell,
    CancelMessage: _cancel,
    Broadcast: _broadcast,
    RunAgent: _run,
    RunSession: _run_session,
    FetchPolicy: _policy,
    FetchOutput: _output,
    FetchChat: _chat,
    PostNote: _note,
}
