"""What lives and what it does: overviews, lists, sessions, what happened (pure)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from voice.dialogue.phrasing.renderer import Renderer, Values, capital, joined


def _overview(r: Renderer, values: Values) -> str:
    counts = cast("Mapping[str, int]", values["counts"])
    parts = [r.phrase(f"status.count.{state}", count) for state, count in counts.items()]
    agents = r.phrase("status.agents", sum(counts.values())) + ": " + joined(r, parts)
    waiting = r.waiting(cast("Mapping[str, Any]", values["waiting"]))
    return capital(r.phrase("status.overview", agents=agents, waiting=waiting))


def _status_project(r: Renderer, values: Values) -> str:
    project = r.name(str(values["project"]))
    agents = cast("Sequence[Mapping[str, str]]", values["agents"])
    if not agents:
        return r.phrase("status.project.empty", project=project)
    states = [r.phrase(f"status.is.{a['status']}", agent=r.name(a["agent"])) for a in agents]
    return r.phrase("status.project", project=project, agents=joined(r, states))


def _status_agent(r: Renderer, values: Values) -> str:
    queued = int(str(values["queued"]))
    return capital(
        r.phrase(
            "status.agent",
            state=r.phrase(f"status.is.{values['status']}", agent=r.name(str(values["agent"]))),
            queued=r.phrase("status.queued", queued) if queued else "",
            exit=r.phrase("status.exit", exit=r.prose(str(values["exit"]))) + "." if values["exit"] else "",
        )
    )


def _gates_list(r: Renderer, values: Values) -> str:
    return r.waiting({"gates": values["count"], "agents": values["agents"], "plans": values["plans"]})


def _items(key: str, slot: str) -> Callable[[Renderer, Values], str]:
    def compose(r: Renderer, values: Values) -> str:
        listed = cast("Sequence[Mapping[str, object]]", values[slot])
        items = [r.phrase(key, **{name: r.value(name, value) for name, value in item.items()}) for item in listed]
        return capital(r.phrase(f"{slot}.list", int(str(values["count"])), **{slot: "; ".join(items)}))

    return compose


def _projects_list(r: Renderer, values: Values) -> str:
    names = cast("Sequence[str]", values["projects"])
    return capital(r.phrase("projects.list", len(names), projects=r.names(names)))


def _session_status(r: Renderer, values: Values) -> str:
    shown = {name: r.value(name, value) for name, value in values.items()}
    shown["reason"] = f" {r.prose(str(values['reason']))}." if values["reason"] else ""
    return r.phrase("session.status", **shown)


def _away(r: Renderer, values: Values) -> str:
    news = cast("Sequence[Mapping[str, Any]]", values["news"])
    parts = list(dict.fromkeys(r.plain(str(item["key"]), item["values"]) for item in news))
    told = capital(joined(r, parts)) + "." if parts else r.phrase("away.nothing")
    return r.phrase("away.summary", waiting=r.waiting(cast("Mapping[str, Any]", values["waiting"])), news=told)


COMPOSERS: Mapping[str, Callable[[Renderer, Values], str]] = {
    "status.overview": _overview,
    "status.project": _status_project,
    "status.agent": _status_agent,
    "gates.list": _gates_list,
    "plans.list": _items("plans.item", "plans"),
    "sessions.list": _items("sessions.item", "sessions"),
    "projects.list": _projects_list,
    "session.status": _session_status,
    "away.summary": _away,
}
