"""What agents print and write, what waits, and what came of a decision (pure)."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from voice.dialogue.phrasing.renderer import Renderer, Values, capital


def _output(r: Renderer, values: Values) -> str:
    agent, text = r.name(str(values["agent"])), str(values["text"]).strip()
    if not text:
        return r.phrase("output.empty", agent=agent)
    if not r.aloud:
        return text
    spoken = r.exact(text, "output")
    more = r.phrase("output.more") if spoken.long else ""
    return r.phrase("output", agent=agent, text=spoken.short) + more


def _output_whole(r: Renderer, values: Values) -> str:
    return r.code(str(values["text"]).strip(), "output")


def _chat(r: Renderer, values: Values) -> str:
    lines = cast("Sequence[Mapping[str, str]]", values["lines"])
    if not lines:
        return r.phrase("chat.empty", project=r.name(str(values["project"])))
    return " ".join(r.phrase("chat.line", sender=r.name(x["sender"]), text=r.prose(x["text"])) for x in lines)


def _many(r: Renderer, values: Values) -> str:
    gates, plans = int(str(values["gates"])), int(str(values["plans"]))
    told = r.phrase("announce.plans", plans) if plans else ""
    agents = cast("Sequence[str]", values["agents"])
    if not gates:
        return capital(told)
    return capital(r.phrase("announce.many", len(agents), agents=r.names(agents), plans=capital(told)))


def _decided(r: Renderer, values: Values, key: str) -> str:
    left = int(str(values["left"]))
    more = r.phrase("gate.done.left", left) if left else ""
    return r.phrase(key, agent=r.name(str(values["agent"]))) + more


def _gate_done(decision: str) -> Callable[[Renderer, Values], str]:
    return lambda r, values: _decided(r, values, f"gate.done.{decision}")


def _plan_sent(r: Renderer, values: Values) -> str:
    key = "plan.done.approve.queued" if values.get("queued") else "plan.done.approve"
    return r.phrase(key, agent=r.name(str(values["agent"])))


COMPOSERS: Mapping[str, Callable[[Renderer, Values], str]] = {
    "output": _output,
    "output.whole": _output_whole,
    "chat": _chat,
    "announce.many": _many,
    "gate.done.approve": _gate_done("approve"),
    "gate.done.reject": _gate_done("reject"),
    "gate.done.custom": _gate_done("custom"),
    "plan.done.approve": _plan_sent,
}
