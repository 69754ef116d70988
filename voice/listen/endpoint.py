"""When a turn begins and ends: a pure machine over voice activity and loudness, one step a frame.

How much silence ends a turn depends on how complete its words are, which the loop tells by ``hint`` once the words
heard before the pause are recognised. Steady noise that the voice activity model takes for speech is told apart by its
evenness: a floor follows the quietest of the last seconds, and only what rises above it counts.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum

from voice.frames import FRAME_SECONDS, Completeness


class Phase(Enum):
    """Where in a turn we are."""

    IDLE = "idle"
    SPEECH = "speech"
    PAUSE = "pause"


class Step(Enum):
    """What one frame changed."""

    NONE = "none"
    BEGAN = "began"
    PAUSED = "paused"
    RESUMED = "resumed"
    ENDED = "ended"
    CAPPED = "capped"


@dataclass(frozen=True)
class EndpointSettings:
    """Probabilities 0..1, silences and caps in seconds, loudness in dB."""

    start: float = 0.5
    """Probability from which a frame is speech when nobody spoke before."""
    stay: float = 0.35
    """Probability from which a frame is still speech."""
    begin_after: float = 0.096
    """Speech needed before a turn begins."""
    pause_after: float = 0.032
    """Silence after which recognition starts, before it is known whether the turn is over: one frame. With two the
    words came 32 ms later; with one a quarter more recognitions are begun in vain."""
    complete: float = 0.16
    """By frames; voice activity lets go 30 to 100 ms late, so this is about 200 ms of true silence."""
    consent: float = 0.8
    unknown: float = 0.5
    open: float = 1.4
    waiting: float = 1.2
    """The longest wait for a hint that is on its way."""
    cap: float = 28.0
    """The longest turn; the recogniser takes 30 s at once."""
    floor_window: float = 3.0
    above_floor_db: float = 4.0

    def silence(self, hint: Completeness | None) -> float:
        """Seconds of silence that end a turn whose words are as complete as ``hint`` says."""
        match hint:
            case "complete":
                return self.complete
            case "consent":
                return self.consent
            case "open":
                return self.open
            case "unknown":
                return self.unknown
            case None:
                return self.waiting


class Endpoint:
    """Feed it (probability, dBFS) of each frame; it answers what changed."""

    def __init__(self, settings: EndpointSettings | None = None) -> None:
        self._settings = settings or EndpointSettings()
        self.frames_to_begin = max(1, round(self._settings.begin_after / FRAME_SECONDS))
        """Frames of speech in a row that begin a turn."""
        self._levels: deque[float] = deque(maxlen=round(self._settings.floor_window / FRAME_SECONDS))
        self.phase = Phase.IDLE
        self._hint: Completeness | None = None
        self._run = 0
        self._length = 0
        self._silent = 0
        self.pauses = 0
        """Number of the latest pause; a hint must name it."""

    @property
    def silent_frames(self) -> int:
        """Frames since the last frame of speech."""
        return self._silent

    @property
    def floor_db(self) -> float:
        """The quietest of the last seconds, or very quiet until those have been heard."""
        return min(self._levels) if len(self._levels) == self._levels.maxlen else -120.0

    def hint(self, pause: int, completeness: Completeness) -> None:
        """How complete the words before pause number ``pause`` are; one that came too late is ignored."""
        if pause == self.pauses and self.phase is Phase.PAUSE:
            self._hint = completeness

    def audible(self, level_db: float) -> bool:
        """Whether a frame of this loudness rises above the room; only then can it count as speech."""
        return level_db > self.floor_db + self._settings.above_floor_db

    def feed(self, probability: float, level_db: float) -> Step:
        """One frame on."""
        self._levels.append(level_db)
        threshold = self._settings.start if self.phase is Phase.IDLE else self._settings.stay
        speech = probability >= threshold and self.audible(level_db)
        match self.phase:
            case Phase.IDLE:
                return self._idle(speech)
            case Phase.SPEECH:
                return self._capped() or self._speaking(speech)
            case Phase.PAUSE:
                return self._capped() or self._pausing(speech)

    def reset(self) -> None:
        """Back to waiting for speech; the floor of the room stays known."""
        self.phase = Phase.IDLE
        self._hint = None
        self._run = self._length = self._silent = 0

    def _idle(self, speech: bool) -> Step:
        self._run = self._run + 1 if speech else 0
        if self._run < self.frames_to_begin:
            return Step.NONE
        self.phase = Phase.SPEECH
        self._length, self._silent = self._run, 0
        return Step.BEGAN

    def _capped(self) -> Step | None:
        self._length += 1
        if self._length * FRAME_SECONDS < self._settings.cap:
            return None
        self.reset()
        return Step.CAPPED

    def _speaking(self, speech: bool) -> Step:
        self._silent = 0 if speech else self._silent + 1
        if self._silent * FRAME_SECONDS < self._settings.pause_after - 1e-9:
            return Step.NONE
        self.phase = Phase.PAUSE
        self._hint = None
        self._run = 0
        self.pauses += 1
        return Step.PAUSED

    def _pausing(self, speech: bool) -> Step:
        self._run = self._run + 1 if speech else 0
        if self._run >= 2:  # one frame alone is a click or a breath
            self.phase = Phase.SPEECH
            self._silent = 0
            return Step.RESUMED
        self._silent += 1
        if self._run or self._silent * FRAME_SECONDS < self._settings.silence(self._hint) - 1e-9:
            return Step.NONE
        self.reset()
        return Step.ENDED
