"""Commands that change something: each is read back, and can be undone before it is done (pure)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, cast

from engine.domain.wire import AgentView
from voice.dialogue.answers import of_agent
from voice.dialogue.requests import (
    Broadcast,
    FetchChat,
    FetchOutput,
    FetchPolicy,
    PostNote,
    Request,
    RunAgent,
    RunSession,
    Say,
    Tell,
)
from voice.dialogue.state import Pending, State
from voice.dialogue.world import Step, World, agents_named, by_project, project_for, session_named
from voice.understand.intents import Intent


def after_undo(state: State, world: World, request: Request, say: Say, undone: Say) -> Step:
    """Read ``say`` back; do ``request`` when the window after it has passed."""
    if world.undo <= 0:
        return Step(state, (request,))
    say_id = f"undo-{state.counter}"
    pending = Pending(request, say_id, undone, shown=say)
    further = replace(state.to("undoable"), pending=(*state.pending, pending), counter=state.counter + 1)
    return Step(further, (), (replace(say, id=say_id),))


def with_agent(
    state: State, world: World, intent: Intent, act: Callable[[State, World, Intent, AgentView], Step]
) -> Step:
    """Find the one agent that is meant; ask which of several, say so when there is none."""
    found = agents_named(world, intent.slots, state.focus)
    if found.one is not None:
        return act(state, world, intent, found.one)
    if found.all:
        return ask_which(state, world, by_project(intent, found.all))
    names = list(dict.fromkeys(agent["name"] for agent in world.snapshot["agents"]))
    return Step(state, (), (Say("unknown.agent", {"said": intent.slots.get("agent", ""), "agents": names}),))


def ask_which(state: State, world: World, candidates: tuple[Intent, ...]) -> Step:
    """Several were meant as well as each other."""
    listed = [dict(candidate.slots) | {"intent": candidate.name} for candidate in candidates]
    asked = replace(state.to("choosing"), choices=candidates, asked_at=world.now)
    return Step(asked, (), (Say("ask.which", {"candidates": listed}),))


def _tell(state: State, world: World, intent: Intent, agent: AgentView) -> Step:
    text = str(intent.slots["text"])
    if agent["pendingGate"]:
        return Step(state, (), (Say("tell.gate_open", {"agent": agent["name"]}),))
    request = Tell(agent["projectId"], agent["id"], agent["name"], text)
    say = Say("tell.readback", {"agent": agent["name"], "dictated": text})
    return after_undo(state, world, request, say, Say("undone", {"dictated": text}))


def _output(state: State, world: World, intent: Intent, agent: AgentView) -> Step:
    return Step(state, (FetchOutput(agent["projectId"], agent["id"], agent["name"]),))


def _status(state: State, world: World, intent: Intent, agent: AgentView) -> Step:
    return Step(state, (), tuple(of_agent(agent)))


def _run(state: State, world: World, intent: Intent, agent: AgentView) -> Step:
    verb = cast("Literal['start', 'stop', 'restart']", intent.name.removeprefix("agent."))
    request = RunAgent(verb, agent["projectId"], agent["id"], agent["name"])
    if verb == "start":
        return Step(state, (request,))
    values: dict[str, object] = {"agent": agent["name"], "project": agent["projectName"]}
    return after_undo(state, world, request, Say(f"{verb}.readback", values), Say(f"undone.{verb}", values))


def _with_project(state: State, world: World, intent: Intent) -> tuple[str, str] | Step:
    found = project_for(world, intent.slots, state.focus)
    if found.one is not None:
        return found.one["id"], found.one["name"]
    if not found.all:
        names = [project["name"] for project in world.snapshot["projects"]]
        return Step(state, (), (Say("unknown.project", {"projects": names}),))
    each = tuple(
        Intent(intent.name, {**intent.slots, "project": project["name"]}, intent.confidence) for project in found.all
    )
    return ask_which(state, world, each)


def _broadcast(state: State, world: World, intent: Intent) -> Step:
    found = _with_project(state, world, intent)
    if isinstance(found, Step):
        return found
    text = str(intent.slots["text"])
    say = Say("broadcast.readback", {"project": found[1], "dictated": text})
    return after_undo(state, world, Broadcast(found[0], found[1], text), say, Say("undone", {"dictated": text}))


def _note(state: State, world: World, intent: Intent) -> Step:
    found = _with_project(state, world, intent)
    if isinstance(found, Step):
        return found
    return Step(state, (PostNote(found[0], found[1], str(intent.slots["text"])),))


def _chat(state: State, world: World, intent: Intent) -> Step:
    found = _with_project(state, world, intent)
    return found if isinstance(found, Step) else Step(state, (FetchChat(*found),))


def _focus(state: State, world: World, intent: Intent) -> Step:
    found = _with_project(state, world, intent)
    if isinstance(found, Step):
        return found
    return Step(replace(state, focus=found[0]), (), (Say("focus", {"project": found[1]}),))


def _session(state: State, world: World, intent: Intent) -> Step:
    name = str(intent.slots["session"])
    run = session_named(world, name)
    if run is None:
        return Step(state, (), (Say("unknown.session", {"session": name}),))
    values: dict[str, object] = {"session": name, "agent": run["agentName"], "state": run["state"]}
    live = run["state"] in ("starting", "working", "waiting", "idle")
    if intent.name == "session.resume":
        if live:
            return Step(state, (), (Say("session.is_live", values),))
        return Step(state, (RunSession("resume", run["id"], name, run["agentName"]),))
    if not live:
        return Step(state, (), (Say("session.is_over", values),))
    request = RunSession("halt", run["id"], name, run["agentName"])
    return after_undo(state, world, request, Say("halt.readback", values), Say("undone.halt", values))


def _policy(state: State, world: World, intent: Intent) -> Step:
    return Step(state, (FetchPolicy(),))


def _for_agent(act: Callable[[State, World, Intent, AgentView], Step]) -> Callable[[State, World, Intent], Step]:
    return lambda state, world, intent: with_agent(state, world, intent, act)


COMMANDS: Mapping[str, Callable[[State, World, Intent], Step]] = {
    "agent.tell": _for_agent(_tell),
    "agent.start": _for_agent(_run),
    "agent.stop": _for_agent(_run),
    "agent.restart": _for_agent(_run),
    "agent.output": _for_agent(_output),
    "status.agent": _for_agent(_status),
    "project.broadcast": _broadcast,
    "project.focus": _focus,
    "note.add": _note,
    "chat.read": _chat,
    "session.resume": _session,
    "session.halt": _session,
    "policy.tell": _policy,
}
