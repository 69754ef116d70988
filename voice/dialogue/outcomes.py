"""What follows from what was done: answers of the engine, speech played, time passed (pure)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from voice.dialogue.inputs import Done, Dropped, EngineBack, EngineGone, Failed, Happened, Opened, Played
from voice.dialogue.news import remember
from voice.dialogue.reading import gate_reading, plan_reading
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
    Say,
    Silence,
    Tell,
)
from voice.dialogue.state import ReadingHeld, State
from voice.dialogue.world import Step, World, gate_by_id, heads, plan_by_id

_ANSWER = 25.0  # seconds after a question was asked; what waits to be announced waits no longer
_AFTER_READING = 10.0  # seconds in which nothing else is announced
_CHAT_LINES = 3


def tick(state: State, world: World) -> Step:
    """Do the commands whose undo window has passed; end the wait for a decision, or for an answer that never came."""
    if state.speaks(world.now):
        return Step(state)  # it may be the "cancel that" that began in time
    ripe = tuple(p for p in state.pending if p.due is not None and world.now >= p.due)
    state = replace(state, pending=tuple(p for p in state.pending if p not in ripe))
    if state.phase == "undoable" and not state.pending:
        state = state.to("awake")
    if state.phase == "deciding" and world.now >= state.hold_until:
        state = state.to("awake")
    if state.phase in ("choosing", "completing") and world.now >= state.asked_at + _ANSWER:
        state = replace(state.to("awake"), choices=(), incomplete="")
    return Step(state, tuple(p.request for p in ripe))


def played(state: State, happened: Played, world: World) -> Step:
    """A read-back played to its end opens its undo window; a reading played to its end is told to the engine."""
    pending = tuple(
        replace(p, due=world.now + world.undo) if p.say_id == happened.id and p.due is None else p
        for p in state.pending
    )
    state = replace(state, pending=pending)
    if state.reading is not None and state.reading.say_id == happened.id:
        return Step(state, (ConfirmPlayed(state.reading.reading_id),))
    return Step(state)


def dropped(state: State, happened: Dropped, world: World) -> Step:
    """A reading that was cut off was not read; a command whose read-back was cut off still has its window."""
    state = played(state, Played(happened.id), world).state
    if state.reading is not None and state.reading.say_id == happened.id:
        after = replace(state, reading=None, hold_until=world.now)
        return Step(after.to("awake") if after.phase == "reading" else after)
    return Step(state)


def engine(state: State, happened: Happened | EngineGone | EngineBack, world: World) -> Step:
    """News of the engine, and whether it is there."""
    if isinstance(happened, EngineGone):
        if not state.engine_up:
            return Step(state)
        # What was not sent yet is not sent blindly; what was read to its end counts if the same engine comes back.
        gone = replace(state, engine_up=False, reading=None, pending=(), awaiting_reading=None)
        return Step(gone.to("awake") if gone.phase != "asleep" else gone, (), (Say("engine.gone"),))
    if isinstance(happened, EngineBack):
        return _engine_back(state, happened)
    state = _forget_decided(remember(state, happened.event["type"], happened.event["data"]), world)
    reading = state.reading
    if reading is None or state.phase != "reading" or _still_open(reading, world):
        return Step(state)
    after = replace(state, reading=None, hold_until=world.now).to("awake")
    return Step(after, (Silence(),), (Say("reading.gone", {"agent": reading.agent}),))


def _engine_back(state: State, happened: EngineBack) -> Step:
    """An engine that restarted has forgotten what was read; a broken line to the same one changes nothing."""
    if happened.afresh:
        state = replace(state, receipts=(), reading=None, known=frozenset())
        state = state.to("awake") if state.phase in ("reading", "deciding") else state
    elif not state.engine_up:
        state = replace(state, known=frozenset(held.id for held in state.receipts))
    says = () if state.engine_up else (Say("engine.back"),)
    return Step(replace(state, engine_up=True), (), says)


def _still_open(reading: ReadingHeld, world: World) -> bool:
    found = gate_by_id(world, reading.id) if reading.subject == "gate" else plan_by_id(world, reading.id)
    return found is not None


def _forget_decided(state: State, world: World) -> State:
    return replace(state, receipts=tuple(r for r in state.receipts if _still_open(r, world)))


def answered(state: State, happened: Opened | Done | Failed, world: World) -> Step:
    """An answer of the engine to a request."""
    match happened:
        case Opened():
            return _opened(state, happened, world)
        case Failed():
            return _failed(state, happened, world)
        case Done():
            follow = DONE.get(type(happened.request))
            return follow(state, happened, world) if follow else Step(state)
        case _:
            assert_never(happened)


def _opened(state: State, happened: Opened, world: World) -> Step:
    """Speak a reading whole."""
    request, reading = happened.request, happened.reading
    assert isinstance(request, ReadAloud)
    say_id = f"reading-{state.counter}"
    state = replace(state, awaiting_reading=None, counter=state.counter + 1, known=state.known | {request.id})
    if request.subject == "gate":
        gate = gate_by_id(world, request.id)
        if gate is None:
            return Step(state, (), (Say("gates.none"),))
        say, agent, screen_only = gate_reading(gate, reading, say_id), gate["agentName"], bool(gate["screenOnly"])
    else:
        plan = plan_by_id(world, request.id)
        if plan is None:
            return Step(state, (), (Say("plans.none"),))
        say, agent, screen_only = plan_reading(plan, reading, say_id), plan["targetAgentName"], False
    held = ReadingHeld(
        subject=request.subject,
        id=request.id,
        agent=agent,
        reading_id=reading["readingId"],
        word=reading["word"],
        words=tuple(reading["words"]),
        refusals=tuple(reading["refusals"]),
        say_id=say_id,
        screen_only=screen_only,
    )
    state = replace(state, reading=held, it=(request.subject, request.id), more=None)
    return Step(state.to("reading"), (), (say,))


def _failed(state: State, happened: Failed, world: World) -> Step:
    if isinstance(happened.request, ReadAloud):
        state = replace(state, awaiting_reading=None)
    if isinstance(happened.request, ConfirmPlayed) and state.phase == "reading":
        state = replace(state, reading=None).to("awake")
    if isinstance(happened.request, ReportHeard) and not _matters(happened.request):
        return Step(state)  # the loop logs it; what was asked for with these words is done, or its failure is said
    if happened.condition:
        return Step(state, (), (Say(f"refused.{happened.condition}"),))
    return Step(state, (), (Say("failed", {"sentence": happened.sentence}),))


def _matters(report: ReportHeard) -> bool:
    """Whether nothing else would say that these words were lost: they may have taken an approval back."""
    return report.act_on_verdict or (report.receipt is not None and not report.decides)


def _receipt(state: State, done: Done, world: World) -> Step:
    reading = state.reading
    if reading is None:
        return Step(state)
    held = replace(reading, receipt=str(done.result["receipt"]), receipt_at=world.now)
    state = replace(state, reading=held, receipts=(*state.receipts, held)[-8:], hold_until=world.now + _AFTER_READING)
    return Step(state.to("deciding") if state.phase == "reading" else state)


def _verdict(state: State, done: Done, world: World) -> Step:
    """Words that no sentence fits may still decide: the engine's verdict counts."""
    request, verdict = done.request, done.result.get("verdict")
    assert isinstance(request, ReportHeard)
    if not request.act_on_verdict:
        return Step(state)
    held = next((r for r in state.receipts if r.receipt == request.receipt), None)
    condition = done.result.get("condition")
    if verdict == "neither" and condition and held is not None:
        return Step(state, (), (Say(f"refused.{condition}"),))
    if verdict == "neither" or held is None:
        return Step(state, (), (Say("heard.unknown", {"heard": request.text}),))
    if verdict == "refuses":
        # A "not" somewhere holds everything back, but it may be misheard: only a plain refusal decides.
        return Step(state, (), (Say("heard.held"),))
    decision = _decide(held, "approve", world)
    return Step(state, (decision,)) if decision else Step(state, (), (Say("gates.none"),))


def _decide(held: ReadingHeld, decision: Any, world: World) -> Request | None:
    if held.subject == "plan":
        plan = plan_by_id(world, held.id)
        return plan and ResolvePlan(plan["projectId"], plan["id"], plan["number"], held.agent, decision)
    gate = gate_by_id(world, held.id)
    return gate and ResolveGate(gate["projectId"], gate["agentId"], gate["agentName"], gate["id"], decision)


def _resolved(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, ResolveGate | ResolvePlan)
    subject = "gate" if isinstance(request, ResolveGate) else "plan"
    reading = None if state.reading and state.reading.id in (_id(request),) else state.reading
    state = replace(
        state,
        reading=reading,
        it=None,
        hold_until=world.now,
        receipts=tuple(r for r in state.receipts if r.id != _id(request)),
    )
    if state.phase in ("deciding", "reading") and reading is None:
        state = state.to("awake")
    values: dict[str, object] = {"agent": request.agent, "queued": done.result.get("state") == "queued"}
    rest = [g for g in heads(world) if g["id"] != _id(request)]
    values["left"] = len(rest)
    silence = (Silence(),) if request.decision == "reject" else ()
    return Step(state, silence, (Say(f"{subject}.done.{request.decision}", values),))


def _id(request: ResolveGate | ResolvePlan) -> str:
    return request.gate_id if isinstance(request, ResolveGate) else request.plan_id


def _told(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, Tell)
    sent = "tell.queued" if done.result.get("state") == "queued" else "tell.sent"
    message = (str(done.result.get("messageId", "")), request.agent)
    state = replace(state, last_message=message if sent == "tell.queued" else None)
    return Step(state, (), (Say(sent, {"agent": request.agent, "text": request.text}),))


def _cancelled(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, CancelMessage)
    key = "tell.cancelled" if done.result.get("cancelled") else "tell.too_late"
    return Step(state, (), (Say(key, {"agent": request.agent}),))


def _broadcast(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, Broadcast)
    results = list(done.result.get("results", ()))
    return Step(state, (), (Say("broadcast.sent", {"project": request.project, "count": len(results)}),))


def _ran(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, RunAgent)
    return Step(state, (), (Say(f"{request.verb}.done", {"agent": request.agent}),))


def _ran_session(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, RunSession)
    return Step(state, (), (Say(f"session.done.{request.verb}", {"session": request.name, "agent": request.agent}),))


def _policy(state: State, done: Done, world: World) -> Step:
    return Step(state, (), (Say("policy", {"text": str(done.result.get("spoken", ""))}),))


def _output(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, FetchOutput)
    values: dict[str, object] = {"agent": request.agent, "text": str(done.result.get("text", ""))}
    return Step(replace(state, more=Say("output.whole", values)), (), (Say("output", values),))


def _chat(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, FetchChat)
    lines = [{"sender": line["sender"], "text": line["text"]} for line in done.result.get("lines", ())]
    values: dict[str, object] = {"project": request.project, "lines": lines[-_CHAT_LINES:], "count": len(lines)}
    whole = Say("chat", {**values, "lines": lines})
    return Step(replace(state, more=whole if len(lines) > _CHAT_LINES else None), (), (Say("chat", values),))


def _noted(state: State, done: Done, world: World) -> Step:
    request = done.request
    assert isinstance(request, PostNote)
    return Step(state, (), (Say("note.done", {"project": request.project, "dictated": request.text}),))


DONE: Mapping[type, Callable[[State, Done, World], Step]] = {
    ConfirmPlayed: _receipt,
    ReportHeard: _verdict,
    ResolveGate: _resolved,
    ResolvePlan: _resolved,
    Tell: _told,
    CancelMessage: _cancelled,
    Broadcast: _broadcast,
    RunAgent: _ran,
    RunSession: _ran_session,
    FetchPolicy: _policy,
    FetchOutput: _output,
    FetchChat: _chat,
    PostNote: _noted,
}
