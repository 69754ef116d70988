"""The assistant's own words coming back through the microphone (pure)."""

from collections import deque
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from voice.understand.fold import words

_REMEMBERED = 40  # sentences
_WINDOW = 6.0  # seconds after the end of speech in which its words may still come back
_LEAST_WORDS = 2  # shorter ones are the user's: "no", "stop"
_ALIKE = 0.8
# So many words in the assistant's own order are no person's: a recording, or another loudspeaker, plays them back.
_LONG = 8
_LONG_WINDOW = 180.0  # seconds
_RUN = 3  # words in a row that count as the same stretch
_COVERED = 0.6


@dataclass(slots=True)
class Echo:
    """Remembers what was said aloud; times in boot seconds."""

    _said: deque[tuple[str, ...]] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    _until: float = float("-inf")

    def said(self, text: str, now: float) -> None:
        """``text`` is being spoken."""
        self._said.append(words(text))
        self._until = max(self._until, now + _WINDOW)

    def ended(self, now: float) -> None:
        """Speech ended: recognition lags behind it."""
        self._until = now + _WINDOW

    def is_echo(self, text: str, began_at: float, *, only_asks: bool = False) -> bool:
        """Whether ``text`` is a stretch of what was just said. Callers keep refusals whatever this says.

        ``only_asks``: a question changes nothing, and people say again what the assistant has told them to say.
        """
        heard = words(text)
        if len(heard) >= _LONG and began_at <= self._until - _WINDOW + _LONG_WINDOW:
            everything = tuple(word for said in self._said for word in said)
            if _covered(heard, everything) >= _COVERED:
                return True
        if only_asks or began_at > self._until or len(heard) < _LEAST_WORDS:
            return False
        return any(_alike(heard, said) for said in self._said)


def _covered(heard: tuple[str, ...], said: tuple[str, ...]) -> float:
    """Which part of ``heard`` stands in ``said`` in runs of three words and more."""
    blocks = SequenceMatcher(None, heard, said, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= _RUN) / len(heard)


def _alike(heard: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Whether most of ``heard`` stands in one stretch of ``said``, in order."""
    size = len(heard)
    for start in range(max(1, len(said) - size + 1)):
        stretch = said[start : start + size]
        same = sum(a == b for a, b in zip(heard, stretch, strict=False))
        if same >= _ALIKE * size:
            return True
    return False
