"""Phrases with their values filled in: names, numbers, exact text, each as it is said or shown (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice.dialogue.phrasing.phrases import Phrases
from voice.speak.verbalise import Kind, Spoken, verbalise
from voice.understand.fold import split_camel

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Renderer:
    """``aloud`` spells technical text out, else it stands as it is (for the keyboard)."""

    words: Phrases
    aloud: bool

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


def joined(r: Renderer, parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return f" {r.words.and_} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def capital(text: str) -> str:
    """With a capital, as a sentence begins."""
    return text[:1].upper() + text[1:]
