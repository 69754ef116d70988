"""Answers that only look: status, lists, sessions, what happened (pure)."""

from collections.abc import Callable, Mapping

from engine.domain.wire import AgentView, RunView
from voice.dialogue.requests import Say
from voice.dialogue.state import State
from voice.dialogue.world import World, heads, project_for, session_named
from voice.understand.intents import Intent

_MOST_LISTED = 5


def overview(state: State, world: World, intent: Intent) -> list[Say]:
    """How many agents, what they do, what waits."""
    agents = world.snapshot["agents"]
    if not agents:
        return [Say("status.nobody")]
    return [Say("status.overview", {"counts": _counts(agents), "waiting": _waiting(world)})]


def _waiting(world: World) -> dict[str, object]:
    gates = heads(world)
    return {
        "agents": [gate["agentName"] for gate in gates][:_MOST_LISTED],
        "gates": len(gates),
        "plans": len(world.snapshot["plans"]),
    }


def _counts(agents: list[AgentView]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for agent in agents:
        word = "waiting" if agent["pendingGate"] else agent["status"]
        counts[word] = counts.get(word, 0) + 1
    return counts


def of_project(state: State, world: World, intent: Intent) -> list[Say]:
    """The agents of one project."""
    project = project_for(world, intent.slots, state.focus).one
    if project is None:
        return [Say("unknown.project", {"projects": _project_names(world)})]
    agents = [a for a in world.snapshot["agents"] if a["projectId"] == project["id"]]
    states = [{"agent": a["name"], "status": status_of(a)} for a in agents[:_MOST_LISTED]]
    return [Say("status.project", {"project": project["name"], "agents": states, "count": len(agents)})]


def status_of(agent: AgentView) -> str:
    """The phrase that says what an agent does."""
    if agent["pendingGate"]:
        return "waits"
    if agent["livenessOnly"] and agent["status"] != "stopped":
        return "alive"
    return agent["status"]


def of_agent(agent: AgentView) -> list[Say]:
    """One agent."""
    values = {
        "agent": agent["name"],
        "project": agent["projectName"],
        "status": status_of(agent),
        "queued": agent["queuedMessages"],
        "exit": agent["exit"] or "",
    }
    return [Say("status.agent", values)]


def gate_list(state: State, world: World, intent: Intent) -> list[Say]:
    """Who waits for an answer, and plans."""
    gates, plans = heads(world), world.snapshot["plans"]
    if not gates and not plans:
        return [Say("gates.none")]
    names = [gate["agentName"] for gate in gates][:_MOST_LISTED]
    values = {"count": len(gates), "agents": names, "plans": len(plans), "queued": len(world.snapshot["gates"])}
    return [Say("gates.list", values)]


def plan_list(state: State, world: World, intent: Intent) -> list[Say]:
    """The plans, by number."""
    plans = world.snapshot["plans"]
    if not plans:
        return [Say("plans.none")]
    listed = [{"number": p["number"], "agent": p["targetAgentName"], "description": p["description"]} for p in plans]
    return [Say("plans.list", {"count": len(plans), "plans": listed[:_MOST_LISTED]})]


def project_list(state: State, world: World, intent: Intent) -> list[Say]:
    """The projects by name."""
    names = _project_names(world)
    return [Say("projects.list", {"count": len(names), "projects": names})] if names else [Say("projects.none")]


def _project_names(world: World) -> list[str]:
    return [project["name"] for project in world.snapshot["projects"]]


def session_list(state: State, world: World, intent: Intent) -> list[Say]:
    """The latest sessions."""
    runs = world.snapshot["sessions"]
    if not runs:
        return [Say("sessions.none")]
    listed = [_session(run) for run in runs[:_MOST_LISTED]]
    return [Say("sessions.list", {"count": len(runs), "sessions": listed})]


def _session(run: RunView) -> dict[str, str]:
    return {"session": run["name"], "agent": run["agentName"], "state": run["state"], "reason": run["reason"] or ""}


def session_status(state: State, world: World, intent: Intent) -> list[Say]:
    """One session."""
    run = session_named(world, str(intent.slots["session"]))
    if run is None:
        return [Say("unknown.session", {"session": intent.slots["session"]})]
    return [Say("session.status", dict(_session(run)))]


def help_(state: State, world: World, intent: Intent) -> list[Say]:
    """What can be said; the words of consent are named only while nothing was read."""
    return [Say("help.deciding" if state.reading else "help")]


LOOKS: Mapping[str, Callable[[State, World, Intent], list[Say]]] = {
    "status.overview": overview,
    "status.project": of_project,
    "gate.list": gate_list,
    "plan.list": plan_list,
    "project.list": project_list,
    "session.list": session_list,
    "session.status": session_status,
    "dialogue.help": help_,
}
