"""What happened since it was last told: kept as it comes in, told in short, the most urgent first (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from voice.dialogue.requests import Say
from voice.dialogue.state import News, NewsKind, State
from voice.dialogue.world import World, heads

_MOST_NEWS = 1000
_MOST_NAMED = 3
_VIEWS = {"gate:resolved": "gate", "plan:resolved": "plan", "agent:status": "agent", "groupchat:message": "entry"}
_KINDS: Mapping[str, NewsKind] = {
    "gate:resolved": "decided",
    "plan:resolved": "decided",
    "agent:status": "status",
    "groupchat:message": "chat",
}
_FAILED = frozenset(("failed", "process_lost"))
Outcome = Literal["failed", "finished", "stopped", ""]


def remember(state: State, event: str, data: Mapping[str, Any]) -> State:
    """Keep what a summary tells later; questions and plans that still wait are seen in the snapshot."""
    kind = _KINDS.get(event)
    if kind is None:
        return state
    view = data.get(_VIEWS[event])
    told = view if isinstance(view, Mapping) else data
    if kind == "chat" and told.get("role") == "user":
        return state
    item = News(kind, str(told.get("name", "")), str(told.get("id", "")), str(told.get("status", "")))
    return replace(state, news=(*state.news, item)[-_MOST_NEWS:])


@dataclass(frozen=True, slots=True)
class _Names:
    """Some names, and how many there are in all."""

    named: tuple[str, ...]
    count: int

    @classmethod
    def of(cls, names: list[str]) -> "_Names":
        return cls(tuple(names[:_MOST_NAMED]), len(names))


def summary(state: State, world: World) -> Say:
    """What waits, what failed, plans, who is done, and the rest by counts."""
    outcomes = _outcomes(state, world)
    gates = heads(world)
    waiting = _Names.of([gate["agentName"] for gate in gates])
    counts = {kind: sum(item.kind == kind for item in state.news) for kind in ("decided", "chat")}
    stopped = [name for name, outcome in outcomes if outcome == "stopped"]
    return Say(
        "away.summary",
        {
            "waiting": {"count": waiting.count, "agents": waiting.named},
            "plans": len(world.snapshot["plans"]),
            **{
                wanted: {"count": found.count, "agents": found.named}
                for wanted in ("failed", "finished")
                for found in [_Names.of([name for name, outcome in outcomes if outcome == wanted])]
            },
            "counts": {**counts, "stopped": len(stopped)},
        },
    )


def _outcomes(state: State, world: World) -> list[tuple[str, Outcome]]:
    """What became of each agent whose status changed, the latest first."""
    latest: dict[str, News] = {}
    for item in reversed(state.news):
        if item.kind == "status":
            latest.setdefault(item.id, item)
    return [(item.agent, _outcome(item, world)) for item in latest.values()]


def _outcome(item: News, world: World) -> Outcome:
    if item.status == "awaiting_input":
        return "finished"
    if item.status != "stopped":
        return ""
    runs = [run for run in world.snapshot["sessions"] if run["agentId"] == item.id]
    last = max(runs, key=lambda run: run["number"], default=None)
    if last is not None and last["state"] in _FAILED:
        return "failed"
    return "finished" if last is not None and last["state"] == "finished" else "stopped"
