"""Gates and plans read whole: who, effects first, the exact words, what it takes, the one-time word (pure)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from voice.dialogue.phrasing.renderer import Renderer, Values
from voice.understand.fold import words


def _reading_gate(r: Renderer, values: Values) -> str:
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


def _screen(r: Renderer, values: Values, *, hidden: bool) -> str:
    said = r.phrase("reading.hidden") if hidden else ""
    if not values["speakable"]:
        said += r.phrase("reading.unspeakable")
    if values["screen_only"]:
        said += r.phrase("reading.screen", reason=r.prose(str(values["screen_only"])))
    return said


def _choices(r: Renderer, choices: Sequence[Mapping[str, str]]) -> str:
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


def _effect(r: Renderer, effect: Mapping[str, Any]) -> str:
    targets = [r.code(str(target), "path") for target in effect["targets"]]
    return r.phrase(
        "effect",
        kind=r.phrase(f"effect.kind.{effect['kind']}"),
        targets=" " + (", ".join(targets) or r.phrase("effect.something")),
        place=r.phrase(f"effect.place.{effect['place']}"),
        undo=r.phrase(f"effect.undo.{effect['undo']}"),
    )


def _reading_plan(r: Renderer, values: Values) -> str:
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


COMPOSERS: Mapping[str, Callable[[Renderer, Values], str]] = {
    "reading.gate": _reading_gate,
    "reading.plan": _reading_plan,
}
