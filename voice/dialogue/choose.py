"""Which of several was meant: by place ("the second one"), by name or project, or yes to the only one (pure)."""

from collections.abc import Sequence

from voice.dialogue.phrasing import Words
from voice.understand.fold import words
from voice.understand.intents import Intent


def chosen(text: str, candidates: Sequence[Intent], language: Words) -> Intent | None:
    """The candidate that ``text`` picks, or None when it picks none or several."""
    spoken = [word for word in words(text) if word not in language.passed_over]
    if not spoken:
        return None
    if len(candidates) == 1 and all(word in language.yes for word in spoken):
        return candidates[0]
    if len(spoken) == 1 and spoken[0] in language.last:
        return candidates[-1]
    place = language.numbers.number(spoken)
    if place is not None:
        return candidates[place - 1] if 0 < place <= len(candidates) else None
    named = [candidate for candidate in candidates if _names(candidate, "".join(spoken))]
    return named[0] if len(named) == 1 else None


def _names(candidate: Intent, said: str) -> bool:
    for slot in ("agent", "project", "session", "plan"):
        value = "".join(words(str(candidate.slots.get(slot, ""))))
        if value and said in (value, value + "agent", value + "project"):
            return True
    both = "".join(word for slot in ("agent", "project") for word in words(str(candidate.slots.get(slot, ""))))
    return said == both
