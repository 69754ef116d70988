"""What is asked back: which one, what was unknown or not understood (pure)."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from voice.dialogue.phrasing.renderer import Renderer, Values
from voice.understand.fold import words

_MOST_WORDS_QUOTED = 25


def _unknown(kind: str) -> Callable[[Renderer, Values], str]:
    def compose(r: Renderer, values: Values) -> str:
        names = cast("Sequence[str]", values[f"{kind}s"])
        there = "there_are.none" if not names else "there_is" if len(names) == 1 else "there_are"
        listed = r.phrase(there, names=r.names(names))
        said = str(values.get("said", ""))
        key = f"unknown.{kind}" if said else f"unknown.{kind}.none"
        return r.phrase(key, said=said, **{f"{kind}s": listed})

    return compose


def _which(r: Renderer, values: Values) -> str:
    candidates = cast("Sequence[Mapping[str, object]]", values["candidates"])
    named = list(dict.fromkeys(_candidate(r, candidate) for candidate in candidates))
    if len(named) == 1:
        return r.phrase("ask.near", candidates=named[0])
    joined = f" {r.words.or_} ".join([", ".join(named[:-1]), named[-1]])
    return r.phrase("ask.which", candidates=joined)


def _candidate(r: Renderer, slots: Mapping[str, object]) -> str:
    shown = {name: r.value(name, value) for name, value in slots.items()}
    if "agent" in slots and "project" in slots:
        return r.phrase("ask.in_project", **shown)
    for kind in ("agent", "project"):
        if kind in slots:
            return r.phrase(f"ask.kind.{kind}", **shown)
    if "plan" in slots:
        return r.phrase("ask.plan", **shown)
    return shown.get("session", str(slots["intent"]).replace(".", " "))


def _incomplete(r: Renderer, values: Values) -> str:
    if "agent" in values:
        return r.phrase("incomplete", agent=r.name(str(values["agent"])))
    return r.phrase("incomplete.other")


def _heard_unknown(r: Renderer, values: Values) -> str:
    heard = words(str(values["heard"]))
    if not r.words.consent.isdisjoint(heard) and r.aloud:
        return r.phrase("heard.unclear")
    quoted = " ".join(str(values["heard"]).split()[:_MOST_WORDS_QUOTED])
    return r.phrase("heard.unknown", heard=r.prose(quoted))


COMPOSERS: Mapping[str, Callable[[Renderer, Values], str]] = {
    "unknown.agent": _unknown("agent"),
    "unknown.project": _unknown("project"),
    "ask.which": _which,
    "incomplete": _incomplete,
    "heard.unknown": _heard_unknown,
}
