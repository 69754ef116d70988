"""Says to sentences, by the language's file; exact text goes through ``verbalise`` (pure but for loading the file)."""

from dataclasses import dataclass
from functools import lru_cache

from voice.dialogue.phrasing import questions, readings, reports, status
from voice.dialogue.phrasing.phrases import Phrases, fields, languages
from voice.dialogue.phrasing.renderer import Renderer
from voice.dialogue.requests import Say
from voice.speak.verbalise import Kind

__all__ = ["Kind", "Phrases", "Words", "languages", "load"]

_COMPOSERS = {**status.COMPOSERS, **questions.COMPOSERS, **reports.COMPOSERS, **readings.COMPOSERS}
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
class Words(Phrases):
    """The phrases of one language, and how they are said."""

    def render(self, say: Say, *, aloud: bool = True) -> str:
        """The sentence; ``aloud`` spells technical text out, else it stands as it is (for the keyboard)."""
        renderer, compose = Renderer(self, aloud), _COMPOSERS.get(say.key)
        text = compose(renderer, say.values) if compose else renderer.plain(say.key, say.values)
        return " ".join(text.split()).replace("..", ".") if aloud else text.strip()

    def frequent(self) -> list[str]:
        """Sentences without a name or number in them, as they are spoken: worth making before they are needed."""
        fixed = (text for key, text in self.say.items() if key.startswith(_FREQUENT) and isinstance(text, str))
        return [text for text in fixed if "{" not in text]


@lru_cache(maxsize=8)
def load(language: str = "en") -> Words:
    """Read ``<language>.yaml``; an unknown language is a :class:`BadRequest`."""
    return Words(**fields(language))
