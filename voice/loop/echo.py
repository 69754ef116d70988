"""The assistant's own words coming back through the microphone (pure)."""

from collections import deque
from dataclasses import dataclass, field

from voice.understand.fold import words

_REMEMBERED = 12  # sentences
_WINDOW = 6.0  # seconds after the end of speech in which its words may still come back
_LEAST_WORDS = 2  # shorter ones are the user's: "no", "stop"
_ALIKE = 0.8


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

    def is_echo(self, text: str, began_at: float) -> bool:
        """Whether ``text`` is a stretch of what was just said. Callers keep refusals whatever this says."""
        heard = words(text)
        if began_at > self._until or len(heard) < _LEAST_WORDS:
            return False
        return any(_alike(heard, said) for said in self._said)


def _alike(heard: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Whether most of ``heard`` stands in one stretch of ``said``, in order."""
    size = len(heard)
    for start in range(max(1, len(said) - size + 1)):
        stretch = said[start : start + size]
        same = sum(a == b for a, b in zip(heard, stretch, strict=False))
        if same >= _ALIKE * size:
            return True
    return False
