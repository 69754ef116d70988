"""What lives and what it does: overviews, lists, sessions, what happened (pure)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from voice.dialogue.phrasing.renderer import Renderer, Values, capital, joined

_WORDS_OF_NAMES = 4


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
    """Most urgent first; who is named is few, the rest are counts."""
    plans, counts = int(str(values["plans"])), cast("Mapping[str, int]", values["counts"])
    waiting = _few(r, "waiting.gates", values["waiting"])
    parts = [
        waiting,
        _few(r, "away.failed", values["failed"]),
        r.phrase("waiting.plans", plans) if plans else "",
        _done(r, values["finished"]),
    ]
    rest = [r.phrase(f"news.{kind}", count) for kind, count in counts.items() if count]
    if not any(parts):
        parts.append(r.phrase("waiting.none"))
        rest = rest or [r.phrase("away.nothing")]
    told = joined(r, rest)
    return " ".join(capital(part) for part in (*parts, f"{told.rstrip('.')}." if told else "") if part)


def _done(r: Renderer, found: object) -> str:
    """Who is done, if few are: it is the least urgent of what is told."""
    about = cast("Mapping[str, Any]", found)
    few = int(about["count"]) <= len(_short(map(str, about["agents"])))
    return _few(r, "away.finished", found) if few else r.phrase("away.finished.many", int(about["count"]))


def _short(names: Iterable[str]) -> list[str]:
    """As many of ``names`` as are said in a breath; the first at least."""
    kept: list[str] = []
    for name in names:
        if kept and len(" ".join([*kept, name]).split()) > _WORDS_OF_NAMES:
            break
        kept.append(name)
    return kept


def _few(r: Renderer, key: str, found: object) -> str:
    """ "Five failed: a, b, c and two others."."""
    about = cast("Mapping[str, Any]", found)
    count, named = int(about["count"]), _short(r.name(str(name)) for name in about["agents"])
    if not count:
        return ""
    more = count - len(named)
    return r.phrase(key, count, agents=joined(r, [*named, r.phrase("away.others", more)] if more else named))


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
