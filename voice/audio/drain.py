"""Whether a loudspeaker plays what it takes, or swallows it: some servers skip what comes after a gap (pure).

A device plays in real time, so it can't take more than what it holds plus what has passed. After it ran dry, some sound
servers let the missed time count: the next seconds of sound are taken at once and never heard.
"""

from dataclasses import dataclass

_DRY = 0.05
_SWALLOWED = 0.12


@dataclass(slots=True)
class Drain:
    """Estimates what the device still holds; ``capacity`` is how much it may hold. All in seconds."""

    capacity: float
    held: float = 0.0
    _at: float | None = None
    _dry: float = 0.0  # seconds in which it had nothing to play, all gaps together

    @property
    def ran_dry(self) -> bool:
        """Whether it played all that it held before more came: there were gaps in the sound."""
        return self._dry > _DRY

    def take(self, now: float, seconds: float) -> bool:
        """The device takes ``seconds`` of sound at boot time ``now``; whether that is more than it can play."""
        if self._at is not None:
            passed = now - self._at
            self._dry += max(0.0, passed - self.held)
            self.held = max(0.0, self.held - passed)
        self._at = now
        self.held += seconds
        if not self.ran_dry:
            self.capacity = max(self.capacity, self.held)  # it holds more than it says
            return False
        return self.held > self.capacity + _SWALLOWED
