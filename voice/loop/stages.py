"""How long each stage from the end of the user's speech to the first sample of the reply took (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Stages:
    """Milliseconds of the latest turn by stage; times handed in are boot seconds.

    ``silence``: end of speech to the decision that it was over. ``wait``: from there to the words. ``answer``: to the
    reply's text. ``voice``: to its first sample at the loudspeaker. ``total``: all of them. Besides, ``recognise``,
    ``encode`` and ``decode``: work, most of which falls into the silence.
    """

    _ended_at: float = 0.0
    _heard_at: float = 0.0
    _said: tuple[str, float] | None = None
    _waiting: bool = False
    _ms: dict[str, float] = field(default_factory=dict)

    def heard(self, ended_at: float, now: float, timings_ms: Mapping[str, float]) -> None:
        """The words of a turn are there; its speech ended at ``ended_at``."""
        wait = timings_ms.get("wait", 0.0)
        work = {name: timings_ms[name] for name in ("recognise", "encode", "decode") if name in timings_ms}
        self._ms = {**work, "silence": (now - ended_at) * 1000.0 - wait, "wait": wait}
        self._ended_at, self._heard_at, self._said, self._waiting = ended_at, now, None, True

    def said(self, say_id: str, now: float) -> None:
        """A sentence was handed to the voice; the first one after a turn is its reply."""
        if self._waiting:
            self._waiting, self._said = False, (say_id, now)
            self._ms["answer"] = (now - self._heard_at) * 1000.0

    def started(self, say_id: str, at: float) -> dict[str, float] | None:
        """The first sample of a sentence has left: all stages, if it was the reply."""
        if self._said is None or self._said[0] != say_id:
            return None
        self._ms["voice"] = (at - self._said[1]) * 1000.0
        self._ms["total"] = (at - self._ended_at) * 1000.0
        self._said = None
        return {name: round(ms, 1) for name, ms in self._ms.items()}
