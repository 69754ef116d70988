"""Says to sentences, by the language's file; exact text goes through ``verbalise`` (pure but for loading the file)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from engine.domain.errors import BadRequest
from voice.dialogue.requests import Say
from voice.speak.verbalise import Spoken, verbalise
from voice.understand.fold import fold, split_camel, words
from voice.understand.numbers import NumberWords

PHRASES = Path(__file__).parent / "phrasing"
Kind = Literal["command", "path", "prose", "markdown", "diff", "output", "json", "dictated"]
_MOST_WORDS_QUOTED = 25
_FREQUENT = (
    "refused.",
    "gates.none",
    "plans.none",
    "waiting.",
    "woken",
    "undone",
    "engine.",
    "sleep",
    "nothing",
    "no_",
)


@dataclass(frozen=True, slots=True)
class Words:
    """One language's phrases and small words."""

    language: str
    say: Mapping[str, str | Mapping[str, str]]
    yes: frozenset[str]
    passed_over: frozenset[str]
    consent: frozenset[str]
    numbers: NumberWords
    count_words: tuple[str, ...]
    and_: str
    or_: str

    def render(self, say: Say, *, aloud: bool = True) -> str:
        """The sentence; ``aloud`` spells technical text out, else it stands as it is (for the keyboard)."""
        return _Renderer(self, aloud).render(say)

    def frequent(self) -> list[str]:
        """Sentences without a name or number in them, as they are spoken: worth making before they are needed."""
        fixed = (text for key, text in self.say.items() if key.startswith(_FREQUENT) and isinstance(text, str))
        return [text for text in fixed if "{" not in text]


@lru_cache(maxsize=8)
def load(language: str = "en") -> Words:
    """Read ``phrasing/<language>.yaml``; an unknown language is a :class:`BadRequest`."""
    path = PHRASES / f"{language}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in PHRASES.glob("*.yaml")))
        raise BadRequest(f"There are no phrases for the language {language!r}; there are: {known}.")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    numbers = data["numbers"]
    return Words(
        language=language,
        say=data["say"],
        yes=frozenset(fold(word) for word in data["yes"]),
        passed_over=frozenset(fold(word) for word in data["passed_over"]),
        consent=frozenset(fold(word) for word in data["consent"]),
        numbers=NumberWords(cardinals=numbers["cardinals"], ordinals=numbers["ordinals"]),
        count_words=tuple(data["count_words"]),
        and_=data["and"],
        or_=data["or"],
    )


@dataclass(frozen=True, slots=True)
class _Renderer:
    words: Words
    aloud: bool

    def render(self, say: Say) -> str:
        compose = _COMPOSERS.get(say.key)
        text = compose(self, say.values) if compose else self.plain(say.key, say.values)
        return " ".join(text.split()).replace("..", ".") if self.aloud else text.strip()

    def phrase(self, key: str, count: int | None = None, /, **values: object) -> str:
        found = self.words.say[key]
        if isinstance(found, Mapping):
            found = found["one" if count == 1 else "other"]
        return found.format(count="" if count is None else self.number(count), **values)

    def plain(self, key: str, values: Mapping[str, object]) -> str:
        count = values.get("count", values.get("minutes"))
        shown = {name: self.value(name, value) for name, value in values.items() if name != "count"}
        return self.phrase(key, count if isinstance(count, int) else None, **shown)

    def value(self, name: str, value: object) -> str:
        if name in ("agent", "project", "sender", "said"):
            return self.name(str(value))
        if name == "session":
            return self.session(str(value))
        if name == "dictated":
            return self.code(str(value), "dictated")
        if name == "state":
            return self.phrase(f"state.{value}")
        if name in ("text", "heard", "what", "sentence", "exit", "description"):
            return self.prose(str(value))
        return str(value)

    def number(self, count: int) -> str:
        known = self.words.count_words
        return known[count] if 0 <= count < len(known) and self.aloud else str(count)

    def name(self, name: str) -> str:
        return " ".join(split_camel(name).replace("-", " ").replace("_", " ").split()) if self.aloud else name

    def session(self, name: str) -> str:
        return name.replace("S-", "S ") if self.aloud else name

    def names(self, names: Sequence[object], last: str | None = None) -> str:
        spoken = [self.name(str(name)) for name in names]
        joiner = f" {last or self.words.and_} "
        return joiner.join([", ".join(spoken[:-1]), spoken[-1]]) if len(spoken) > 1 else "".join(spoken)

    def exact(self, text: str, kind: Kind) -> Spoken:
        return verbalise(text, kind=kind, language=self.words.language)

    def code(self, text: str, kind: Kind) -> str:
        return self.exact(text, kind).text if self.aloud else text

    def prose(self, text: str) -> str:
        return self.exact(text, "prose").text.rstrip(" .") if self.aloud else text.rstrip(" .")

    def waiting(self, waiting: Mapping[str, Any]) -> str:
        gates, plans = int(waiting["gates"]), int(waiting["plans"])
        said = []
        if gates:
            said.append(self.phrase("waiting.gates", gates, agents=self.names(waiting["agents"])))
        if plans:
            said.append(self.phrase("waiting.plans", plans))
        return " ".join(said) or self.phrase("waiting.none")


Values = Mapping[str, object]


def _overview(r: _Renderer, values: Values) -> str:
    counts = cast("Mapping[str, int]", values["counts"])
    parts = [r.phrase(f"status.count.{state}", count) for state, count in counts.items()]
    agents = r.phrase("status.agents", sum(counts.values())) + ": " + _joined(r, parts)
    waiting = r.waiting(cast("Mapping[str, Any]", values["waiting"]))
    return _capital(r.phrase("status.overview", agents=agents, waiting=waiting))


def _joined(r: _Renderer, parts: Sequence[str]) -> str:
    return f" {r.words.and_} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _status_project(r: _Renderer, values: Values) -> str:
    project = r.name(str(values["project"]))
    agents = cast("Sequence[Mapping[str, str]]", values["agents"])
    if not agents:
        return r.phrase("status.project.empty", project=project)
    states = [r.phrase(f"status.is.{a['status']}", agent=r.name(a["agent"])) for a in agents]
    return r.phrase("status.project", project=project, agents=_joined(r, states))


def _status_agent(r: _Renderer, values: Values) -> str:
    queued = int(str(values["queued"]))
    return _capital(
        r.phrase(
            "status.agent",
            state=r.phrase(f"status.is.{values['status']}", agent=r.name(str(values["agent"]))),
            queued=r.phrase("status.queued", queued) if queued else "",
            exit=r.phrase("status.exit", exit=r.prose(str(values["exit"]))) + "." if values["exit"] else "",
        )
    )


def _gates_list(r: _Renderer, values: Values) -> str:
    return r.waiting({"gates": values["count"], "agents": values["agents"], "plans": values["plans"]})


def _items(key: str, slot: str) -> Callable[[_Renderer, Values], str]:
    def compose(r: _Renderer, values: Values) -> str:
        listed = cast("Sequence[Mapping[str, object]]", values[slot])
        items = [r.phrase(key, **{name: r.value(name, value) for name, value in item.items()}) for item in listed]
        return _capital(r.phrase(f"{slot}.list", int(str(values["count"])), **{slot: "; ".join(items)}))

    return compose


def _projects_list(r: _Renderer, values: Values) -> str:
    names = cast("Sequence[str]", values["projects"])
    return _capital(r.phrase("projects.list", len(names), projects=r.names(names)))


def _session_status(r: _Renderer, values: Values) -> str:
    shown = {name: r.value(name, value) for name, value in values.items()}
    shown["reason"] = f" {r.prose(str(values['reason']))}." if values["reason"] else ""
    return r.phrase("session.status", **shown)


def _away(r: _Renderer, values: Values) -> str:
    news = cast("Sequence[Mapping[str, Any]]", values["news"])
    parts = list(dict.fromkeys(r.plain(str(item["key"]), item["values"]) for item in news))
    told = _capital(_joined(r, parts)) + "." if parts else r.phrase("away.nothing")
    return r.phrase("away.summary", waiting=r.waiting(cast("Mapping[str, Any]", values["waiting"])), news=told)


def _unknown(kind: str) -> Callable[[_Renderer, Values], str]:
    def compose(r: _Renderer, values: Values) -> str:
        names = cast("Sequence[str]", values[f"{kind}s"])
        there = "there_are.none" if not names else "there_is" if len(names) == 1 else "there_are"
        listed = r.phrase(there, names=r.names(names))
        said = str(values.get("said", ""))
        key = f"unknown.{kind}" if said else f"unknown.{kind}.none"
        return r.phrase(key, said=said, **{f"{kind}s": listed})

    return compose


def _which(r: _Renderer, values: Values) -> str:
    candidates = cast("Sequence[Mapping[str, object]]", values["candidates"])
    named = list(dict.fromkeys(_candidate(r, candidate) for candidate in candidates))
    if len(named) == 1:
        return r.phrase("ask.near", candidates=named[0])
    joined = f" {r.words.or_} ".join([", ".join(named[:-1]), named[-1]])
    return r.phrase("ask.which", candidates=joined)


def _candidate(r: _Renderer, slots: Mapping[str, object]) -> str:
    shown = {name: r.value(name, value) for name, value in slots.items()}
    if "agent" in slots and "project" in slots:
        return r.phrase("ask.in_project", **shown)
    for kind in ("agent", "project"):
        if kind in slots:
            return r.phrase(f"ask.kind.{kind}", **shown)
    if "plan" in slots:
        return r.phrase("ask.plan", **shown)
    return shown.get("session", str(slots["intent"]).replace(".", " "))


def _incomplete(r: _Renderer, values: Values) -> str:
    if "agent" in values:
        return r.phrase("incomplete", agent=r.name(str(values["agent"])))
    return r.phrase("incomplete.other")


def _heard_unknown(r: _Renderer, values: Values) -> str:
    heard = words(str(values["heard"]))
    if not r.words.consent.isdisjoint(heard) and r.aloud:
        return r.phrase("heard.unclear")
    quoted = " ".join(str(values["heard"]).split()[:_MOST_WORDS_QUOTED])
    return r.phrase("heard.unknown", heard=r.prose(quoted))


def _output(r: _Renderer, values: Values) -> str:
    agent, text = r.name(str(values["agent"])), str(values["text"]).strip()
    if not text:
        return r.phrase("output.empty", agent=agent)
    if not r.aloud:
        return text
    spoken = r.exact(text, "output")
    more = r.phrase("output.more") if spoken.long else ""
    return r.phrase("output", agent=agent, text=spoken.short) + more


def _output_whole(r: _Renderer, values: Values) -> str:
    return r.code(str(values["text"]).strip(), "output")


def _chat(r: _Renderer, values: Values) -> str:
    lines = cast("Sequence[Mapping[str, str]]", values["lines"])
    if not lines:
        return r.phrase("chat.empty", project=r.name(str(values["project"])))
    return " ".join(r.phrase("chat.line", sender=r.name(x["sender"]), text=r.prose(x["text"])) for x in lines)


def _many(r: _Renderer, values: Values) -> str:
    gates, plans = int(str(values["gates"])), int(str(values["plans"]))
    told = r.phrase("announce.plans", plans) if plans else ""
    agents = cast("Sequence[str]", values["agents"])
    if not gates:
        return _capital(told)
    return _capital(r.phrase("announce.many", len(agents), agents=r.names(agents), plans=_capital(told)))


def _decided(r: _Renderer, values: Values, key: str) -> str:
    left = int(str(values["left"]))
    more = r.phrase("gate.done.left", left) if left else ""
    return r.phrase(key, agent=r.name(str(values["agent"]))) + more


def _gate_done(decision: str) -> Callable[[_Renderer, Values], str]:
    return lambda r, values: _decided(r, values, f"gate.done.{decision}")


def _plan_sent(r: _Renderer, values: Values) -> str:
    key = "plan.done.approve.queued" if values.get("queued") else "plan.done.approve"
    return r.phrase(key, agent=r.name(str(values["agent"])))


def _reading_gate(r: _Renderer, values: Values) -> str:
    kind = str(values["kind"])
    spoken = r.exact(str(values["exact"]), "command" if kind == "command" else "output")
    exact = (spoken.text if r.aloud else str(values["exact"])).rstrip(" .")
    return r.phrase(
        "reading.gate",
        agent=r.name(str(values["agent"])),
        project=r.name(str(values["project"])),
        begun=r.phrase("reading.begun") if values["may_have_begun"] else "",
        effects="".join(_effect(r, e) for e in cast("Sequence[Mapping[str, Any]]", values["effects"])),
        exact=r.phrase(f"reading.gate.{kind}", exact=exact),
        secrets=r.phrase("reading.secrets") if values["secrets"] or spoken.secrets else "",
        choices=_choices(r, cast("Sequence[Mapping[str, str]]", values["choices"])),
        screen=_screen(r, values, hidden=spoken.hidden),
        word=r.phrase("reading.word", word=values["word"]) if values["word"] else "",
    )


def _screen(r: _Renderer, values: Values, *, hidden: bool) -> str:
    said = r.phrase("reading.hidden") if hidden else ""
    if not values["speakable"]:
        said += r.phrase("reading.unspeakable")
    if values["screen_only"]:
        said += r.phrase("reading.screen", reason=r.prose(str(values["screen_only"])))
    return said


def _choices(r: _Renderer, choices: Sequence[Mapping[str, str]]) -> str:
    """Choices by what they do; a label is read only where it holds no word of consent."""
    said = []
    for choice in choices:
        if choice["kind"] != "other":
            said.append(r.phrase(f"choice.{choice['kind']}"))
        elif r.words.consent.isdisjoint(words(choice["label"])):
            said.append(r.phrase("choice.other", label=r.prose(choice["label"])))
    distinct = list(dict.fromkeys(said))
    return (
        r.phrase(
            "reading.choices",
            choices=r.words.or_.join([", ".join(distinct[:-1]) + " ", " " + distinct[-1]])
            if len(distinct) > 1
            else distinct[0],
        )
        if distinct
        else ""
    )


def _effect(r: _Renderer, effect: Mapping[str, Any]) -> str:
    targets = [r.code(str(target), "path") for target in effect["targets"]]
    return r.phrase(
        "effect",
        kind=r.phrase(f"effect.kind.{effect['kind']}"),
        targets=" " + (", ".join(targets) or r.phrase("effect.something")),
        place=r.phrase(f"effect.place.{effect['place']}"),
        undo=r.phrase(f"effect.undo.{effect['undo']}"),
    )


def _reading_plan(r: _Renderer, values: Values) -> str:
    return r.phrase(
        "reading.plan",
        number=values["number"],
        agent=r.name(str(values["agent"])),
        project=r.name(str(values["project"])),
        maybe=r.phrase("reading.maybe_sent") if values["maybe_sent"] else "",
        description=r.prose(str(values["description"])),
        exact=r.prose(str(values["exact"])),
        word=r.phrase("reading.word", word=values["word"]) if values["word"] else "",
    )


_COMPOSERS: Mapping[str, Callable[[_Renderer, Values], str]] = {
    "status.overview": _overview,
    "status.project": _status_project,
    "status.agent": _status_agent,
    "gates.list": _gates_list,
    "plans.list": _items("plans.item", "plans"),
    "sessions.list": _items("sessions.item", "sessions"),
    "projects.list": _projects_list,
    "session.status": _session_status,
    "away.summary": _away,
    "unknown.agent": _unknown("agent"),
    "unknown.project": _unknown("project"),
    "ask.which": _which,
    "incomplete": _incomplete,
    "heard.unknown": _heard_unknown,
    "output": _output,
    "output.whole": _output_whole,
    "chat": _chat,
    "announce.many": _many,
    "gate.done.approve": _gate_done("approve"),
    "gate.done.reject": _gate_done("reject"),
    "gate.done.custom": _gate_done("custom"),
    "plan.done.approve": _plan_sent,
    "reading.gate": _reading_gate,
    "reading.plan": _reading_plan,
}
