"""The conversation's one function: (state, input) to (state, requests, says). Pure; times come with the inputs."""

from collections.abc import Callable
from dataclasses import replace

from voice.dialogue import announce, outcomes
from voice.dialogue.answers import LOOKS
from voice.dialogue.choose import chosen
from voice.dialogue.commands import COMMANDS, ask_which
from voice.dialogue.decisions import DECISIONS
from voice.dialogue.inputs import (
    Done,
    Dropped,
    Drowsy,
    EngineBack,
    EngineGone,
    Failed,
    Happened,
    Input,
    Opened,
    Played,
    SpeechBegan,
    SpeechEnded,
    Spoken,
    Tick,
    Woken,
)
from voice.dialogue.news import summary
from voice.dialogue.phrasing import Words
from voice.dialogue.requests import (
    CancelMessage,
    ChangeManner,
    ReadAloud,
    ReportHeard,
    Request,
    ResolveGate,
    ResolvePlan,
    Say,
    Silence,
)
from voice.dialogue.state import State
from voice.dialogue.world import Step, World, heads
from voice.understand.intents import AskWhich, Intent, Understood, Unfinished, UnknownName

_QUIET_MINUTES = 30
_MANNERS = {
    "dialogue.slower": (ChangeManner(speed=1 / 1.2), "slower"),
    "dialogue.faster": (ChangeManner(speed=1.2), "faster"),
    "dialogue.louder": (ChangeManner(volume=1.5), "louder"),
    "dialogue.softer": (ChangeManner(volume=1 / 1.5), "softer"),
    "dialogue.plain": (ChangeManner(plain=True), "plain"),
}


def step(state: State, happened: Input, world: World, language: Words) -> Step:
    """One move of the conversation, with what may be announced after it."""
    done = _move(state, happened, world, language)
    further = announce.due(done.state, world)
    says = (*done.says, *further.says)
    after = replace(further.state, last_says=says) if says else further.state
    return Step(after, (*done.requests, *further.requests), says)


def _move(state: State, happened: Input, world: World, language: Words) -> Step:
    match happened:
        case Spoken():
            return _spoken(replace(state, speaking_since=None), happened, world, language)
        case SpeechBegan() | SpeechEnded():
            since = world.now if isinstance(happened, SpeechBegan) else None
            return Step(replace(state, speaking_since=since))
        case Drowsy() | Woken():
            return _wakefulness(state, happened)
        case Tick():
            return outcomes.tick(state, world)
        case Played():
            return outcomes.played(state, happened, world)
        case Dropped():
            return outcomes.dropped(state, happened, world)
        case Opened() | Done() | Failed():
            return outcomes.answered(state, happened, world)
        case Happened() | EngineGone() | EngineBack():
            return outcomes.engine(state, happened, world)


def _wakefulness(state: State, happened: Drowsy | Woken) -> Step:
    if isinstance(happened, Drowsy):
        return Step(state.to("asleep") if state.phase == "awake" and not state.pending else state)
    says = (Say("woken"),) if happened.alone else ()
    return Step(state.to("awake") if state.phase == "asleep" else state, (), says)


def _spoken(state: State, spoken: Spoken, world: World, language: Words) -> Step:
    """Every utterance is reported to the engine before anything is done about it."""
    understood = _in_context(state, spoken, world, language)
    done = _act(replace(state, choices=(), incomplete=""), understood, spoken, world)
    decides = any(isinstance(request, ResolveGate | ResolvePlan) for request in done.requests)
    report = replace(_report(state, spoken, understood), decides=decides)
    requests: tuple[Request, ...] = (report, *done.requests) if world.by_voice else done.requests
    return Step(done.state, requests, done.says)


def _report(state: State, spoken: Spoken, understood: Understood) -> ReportHeard:
    held = state.receipt_at(spoken.began_at)
    approving = isinstance(understood, Intent) and understood.name in ("gate.approve", "plan.approve")
    may_decide = held is not None and bool(held.word) and (approving or understood is None)
    score = (*held.words, *held.refusals) if held is not None and may_decide else ()
    open_reading = held is not None and understood is None
    return ReportHeard(
        spoken.text,
        spoken.confidence,
        held.receipt if held else None,
        score,
        act_on_verdict=open_reading,
        others=spoken.others if may_decide else (),
    )


def _in_context(state: State, spoken: Spoken, world: World, language: Words) -> Understood:
    """The meaning as the conversation stands: a choice, or the rest of a sentence that was begun."""
    if state.phase == "choosing":
        picked = chosen(spoken.text, state.choices, language)
        if picked is not None:
            return picked
    if state.phase == "completing" and spoken.understood is None:
        return world.understand(f"{state.incomplete} {spoken.text}")
    return spoken.understood


def _act(state: State, understood: Understood, spoken: Spoken, world: World) -> Step:
    if state.phase in ("choosing", "completing"):
        state = state.to("awake")
    if isinstance(understood, Intent):
        return _intent(state, understood, world)
    if isinstance(understood, AskWhich):
        return ask_which(state, world, understood.candidates)
    if isinstance(understood, Unfinished):
        values = {"heard": spoken.text, **understood.slots}
        further = replace(state.to("completing"), incomplete=spoken.text.rstrip(" .,…"), asked_at=world.now)
        return Step(further, (), (Say("incomplete", values),))
    if isinstance(understood, UnknownName):
        return Step(state, (), (_unknown(understood, world),))
    if state.receipt_at(spoken.began_at) is not None and world.by_voice:
        return Step(state)  # the engine's verdict on these words comes first; see outcomes
    return Step(state, (), (Say("heard.unknown", {"heard": spoken.text}),) if spoken.text else ())


def _unknown(understood: UnknownName, world: World) -> Say:
    agents = list(dict.fromkeys(agent["name"] for agent in world.snapshot["agents"]))
    projects = [project["name"] for project in world.snapshot["projects"]]
    return Say(f"unknown.{understood.slot}", {"said": understood.said, "agents": agents, "projects": projects})


def _intent(state: State, intent: Intent, world: World) -> Step:
    if (state.pending and intent.name in ("dialogue.cancel", "dialogue.stop")) or _bare_no(state, intent):
        return _undo(state)
    if intent.name in DIALOGUE:
        return DIALOGUE[intent.name](state, world, intent)
    if intent.name in LOOKS:
        return Step(state, (), tuple(LOOKS[intent.name](state, world, intent)))
    if not state.engine_up:
        return Step(state, (), (Say("engine.gone"),))
    if intent.name in DECISIONS:
        return DECISIONS[intent.name](state, world, intent)
    if intent.name in COMMANDS:
        return COMMANDS[intent.name](state, world, intent)
    return Step(state, (), (Say("intent.unserved", {"intent": intent.name}),))


def _bare_no(state: State, intent: Intent) -> bool:
    """A plain no while a command can still be undone means that command."""
    return bool(state.pending) and intent.name == "gate.reject" and not intent.slots


def _undo(state: State) -> Step:
    last = state.pending[-1]
    rest = state.pending[:-1]
    after = replace(state, pending=rest)
    if not rest and after.phase == "undoable":
        after = after.to("awake")
    return Step(after, (Silence(),), (last.undone,))


def _cancel(state: State, world: World, intent: Intent) -> Step:
    if state.last_message is not None:
        return Step(replace(state, last_message=None), (CancelMessage(*state.last_message),))
    return Step(state, (), (Say("nothing_to_undo"),))


def _repeat(state: State, world: World, intent: Intent) -> Step:
    if state.reading is not None and state.it == (state.reading.subject, state.reading.id):
        return Step(state, (ReadAloud(state.reading.subject, state.reading.id),))
    again = tuple(replace(say, id="") for say in state.last_says)
    return Step(state, (), again or (Say("nothing_said"),))


def _stop(state: State, world: World, intent: Intent) -> Step:
    return Step(state, (Silence(),))


def _sleep(state: State, world: World, intent: Intent) -> Step:
    return Step(state.to("asleep"), (), (Say("sleep"),))


def _quiet(state: State, world: World, intent: Intent) -> Step:
    minutes = int(intent.slots.get("minutes", _QUIET_MINUTES))
    return Step(replace(state, quiet_until=world.now + 60 * minutes), (), (Say("quiet", {"minutes": minutes}),))


def _manner(state: State, world: World, intent: Intent) -> Step:
    change, reply = _MANNERS[intent.name]
    return Step(state, (change,), (Say(reply),))


def _away(state: State, world: World, intent: Intent) -> Step:
    """What is told is told, and what waits is announced by it; "repeat" says it again."""
    told = {waits["id"] for waits in (*heads(world), *world.snapshot["plans"])}
    return Step(replace(state, news=(), known=state.known | told), (), (summary(state, world),))


def _more(state: State, world: World, intent: Intent) -> Step:
    if state.more is None:
        return Step(state, (), (Say("no_more"),))
    return Step(replace(state, more=None), (), (state.more,))


DIALOGUE: dict[str, Callable[[State, World, Intent], Step]] = {
    "dialogue.repeat": _repeat,
    "dialogue.stop": _stop,
    "dialogue.cancel": _cancel,
    "dialogue.sleep": _sleep,
    "dialogue.quiet": _quiet,
    **dict.fromkeys(_MANNERS, _manner),
    "dialogue.more": _more,
    "away.summary": _away,
}
