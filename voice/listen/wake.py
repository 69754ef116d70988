"""Wake phrases: found at the beginning of what was heard, spelling aside; too short a phrase is refused."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jellyfish import jaro_winkler_similarity, metaphone

from engine.domain.errors import BadRequest
from voice.frames import Hypothesis
from voice.listen.repeats import words

_LEAST_LETTERS = 6
_LEAST_SOUNDS = 3
_ALIKE = 0.85
DEFAULT_PHRASES = ("hey conduit",)
"""One only: "okay conduit" can't be told from "okay, can do it"."""
_FILLERS = frozenset({"um", "uh", "so", "okay", "ok", "oh", "and"})


@dataclass(frozen=True)
class Wake:
    """A phrase that was heard, and what was said after it ("" when nothing)."""

    phrase: str
    rest: str


class WakePhrases:
    """The configured phrases; BadRequest names one that is too short to be told from talk."""

    def __init__(self, phrases: Sequence[str] = DEFAULT_PHRASES) -> None:
        if not phrases:
            raise BadRequest('There is no wake phrase; name at least one in the settings, such as "hey conduit".')
        for phrase in phrases:
            check_phrase(phrase)
        self._phrases = [(phrase, words(phrase)) for phrase in phrases]

    def examples(self, command: str = "What is waiting?") -> list[str]:
        """``command`` behind each of the phrases, for the recogniser: unprompted it spells them as it likes."""
        return [f"{phrase.title()}, {command[:1].lower()}{command[1:]}" for phrase, _ in self._phrases]

    def taken_off(self, readings: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
        """``readings`` (the likeliest first) without the phrase, or none when no reading begins with it.

        The reading that was woken by comes first, and the others keep what they say: one that refuses still refuses.
        """
        found = [(self.find(one.text), one) for one in readings]
        woken = next((one for wake, one in found if wake is not None), None)
        if woken is None:
            return ()
        rest = [(one is not woken, replace(one, text=one.text if wake is None else wake.rest)) for wake, one in found]
        return tuple(one for _, one in sorted(rest, key=lambda pair: pair[0]))

    def find(self, text: str) -> Wake | None:
        """The phrase that ``text`` begins with, by spelling or by sound, or None."""
        raw = text.split()
        spoken = ["".join(words(word)) for word in raw]
        for skip in range(min(2, len(spoken))):
            if skip and spoken[0] not in _FILLERS:
                break
            for phrase, wanted in self._phrases:
                for length in range(len(wanted), len(wanted) + 3):
                    if _same("".join(spoken[skip : skip + length]), "".join(wanted)):
                        return Wake(phrase, " ".join(raw[skip + length :]).lstrip(" ,.!?-"))
        return None


def check_phrase(phrase: str) -> None:
    """BadRequest when a phrase is so short that ordinary talk would wake the assistant."""
    letters = "".join(words(phrase))
    if len(letters) < _LEAST_LETTERS or len(metaphone(letters)) < _LEAST_SOUNDS:
        raise BadRequest(
            f'The wake phrase "{phrase}" is too short to be told from talk; use two words or at least '
            f'{_LEAST_LETTERS} letters, such as "hey conduit".'
        )


def _same(heard: str, wanted: str) -> bool:
    if heard == wanted:
        return True
    if not heard or abs(len(heard) - len(wanted)) > 3:
        return False
    # By sound alone: "conduct" is one letter from "conduit", but does not sound like it.
    return metaphone(heard) == metaphone(wanted) and jaro_winkler_similarity(heard, wanted) >= _ALIKE
