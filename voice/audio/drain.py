"""What a loudspeaker still holds, and whether it plays what it takes or swallows it (pure).

A device plays in real time, so it can't take more than what it holds plus what has passed. After it ran dry, some sound
servers let the missed time count: the next seconds of sound are taken at once and never heard. PortAudio tells of a
device that ran dry (``output_underflow``); where it does not, the times alone do.
"""

from dataclasses import dataclass

_DRY = 0.05
_UNDERFLOW = 0.01  # the least that a gap lasts which PortAudio tells of
_FORGIVEN = 0.005  # of each second: a gap now and then over a day is no reason for a slower speaker
_SWALLOWED = 0.12
_LEAK = 1.02  # many small gaps far apart must not add up to a swallowed second


@dataclass(slots=True)
class Drain:
    """Estimates what the device still holds; ``capacity`` is how much it may hold. All in seconds."""

    capacity: float
    held: float = 0.0
    _taken: float = 0.0  # what it took beyond what it had time to play, gaps or not
    _at: float | None = None
    _dry: float = 0.0  # seconds in which it had nothing to play, the gaps of the last seconds together
    _torn: float = 0.0  # those of them that came in the middle of sound
    sounding: bool = False
    """Whether what it took last was sound, not silence: a gap after silence is heard by nobody."""

    @property
    def ran_dry(self) -> bool:
        """Whether it played all that it held before more came."""
        return self._dry > _DRY

    @property
    def torn(self) -> bool:
        """Whether there were gaps in the sound that somebody may have heard."""
        return self._torn > _DRY

    def take(self, now: float, seconds: float, *, underflow: bool = False) -> bool:
        """The device takes ``seconds`` of sound at boot time ``now``; whether that is more than it can play."""
        if self._at is not None:
            passed = now - self._at
            gap = max(_UNDERFLOW if underflow else 0.0, passed - self.held)
            self._dry = max(0.0, self._dry - _FORGIVEN * passed) + max(0.0, gap)
            self._torn = max(0.0, self._torn - _FORGIVEN * passed) + (max(0.0, gap) if self.sounding else 0.0)
            self.held = 0.0 if underflow else max(0.0, self.held - passed)
            self._taken = max(0.0, self._taken - _LEAK * passed)
        self._at = now
        self.held += seconds
        self._taken += seconds
        if not self.ran_dry:
            self.capacity = max(self.capacity, self.held)  # it holds more than it says
            return False
        return self._taken > self.capacity + _SWALLOWED
