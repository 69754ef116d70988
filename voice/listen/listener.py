"""From frames to turns: voice activity, 300 ms of pre-roll and the endpoint machine; no threads and no clock."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voice.frames import FRAME, FRAME_SECONDS, Completeness, Frame, Samples, Utterance, level_db
from voice.listen.endpoint import Endpoint, EndpointSettings, Phase, Step
from voice.listen.vad import VoiceActivity

PRE_ROLL_SECONDS = 0.3
_SPEECH = 0.5
_SURE_AFTER = 2
_PRE_ROLL = round(PRE_ROLL_SECONDS / FRAME_SECONDS) + 6  # and the frames that began the turn
_CATCH_UP = 8  # frames that the model hears before a sound after a silence: it judges by what came before


@dataclass(frozen=True)
class SpeechBegan:
    """Someone speaks since boot time ``at``."""

    at: float


@dataclass(frozen=True)
class Paused:
    """Silence began: the words so far can be recognised while it is not yet known whether more come."""

    utterance: Utterance
    pause: int


@dataclass(frozen=True)
class Resumed:
    """More speech came; what was recognised of pause number ``pause`` is only the beginning."""

    pause: int


@dataclass(frozen=True)
class Ended:
    """The turn is over; when ``pause`` is set its words are those of that pause, and nothing was said since."""

    utterance: Utterance
    pause: int | None


ListenEvent = SpeechBegan | Paused | Resumed | Ended


class Listener:
    """Feed it frames in order; it answers with what happened. Not thread safe."""

    def __init__(self, vad: VoiceActivity, settings: EndpointSettings | None = None) -> None:
        self._vad = vad
        self._endpoint = Endpoint(settings)
        self._before: deque[Frame] = deque(maxlen=_PRE_ROLL)
        self._turn: list[Frame] = []
        self._first = self._last = 0  # frames of the turn where its speech began and was last heard
        self._levels: list[float] = []
        self._unheard: deque[Samples] = deque(maxlen=_CATCH_UP)  # frames too quiet for the model to be asked

    def feed(self, frame: Frame) -> Sequence[ListenEvent]:
        """What this frame changed, in order."""
        level = level_db(frame.samples)
        probability = self._probability(frame.samples, level)
        if self._turn:
            self._turn.append(frame)
        else:
            self._before.append(frame)
        if probability >= _SPEECH:
            self._levels.append(level)
        step = self._endpoint.feed(probability, level)
        if self._endpoint.phase is not Phase.IDLE:
            self._last = len(self._turn) - 1 - self._endpoint.silent_frames
        elif step is Step.NONE and probability < _SPEECH:
            self._levels.clear()
        return self._events(step)

    def _probability(self, samples: Samples, level: float) -> float:
        """Of speech; 0 unasked where the endpoint could not count it anyway, which spares most of listening's work."""
        if self._endpoint.phase is Phase.IDLE and not self._endpoint.audible(level):
            self._unheard.append(samples)
            return 0.0
        while self._unheard:
            self._vad.probability(self._unheard.popleft())
        return self._vad.probability(samples)

    def _events(self, step: Step) -> Sequence[ListenEvent]:
        match step:
            case Step.BEGAN:
                return (self._begin(),)
            case Step.PAUSED:
                return (Paused(self._utterance(), self._endpoint.pauses),)
            case Step.RESUMED:
                return (Resumed(self._endpoint.pauses),)
            case Step.ENDED:
                return (self._end(pause=self._endpoint.pauses),)
            case Step.CAPPED:
                return (self._end(pause=None, capped=True),)
            case Step.NONE:
                return ()

    def hint(self, pause: int, completeness: Completeness) -> None:
        """How complete the words of that pause are; decides how much silence ends the turn."""
        self._endpoint.hint(pause, completeness)

    def finish(self) -> Ended | None:
        """The key was released: the turn, if there is one, is over now."""
        if not self._turn:
            return None
        self._endpoint.reset()
        return self._end(pause=None)

    def drop(self) -> None:
        """Forget what is being heard, as when the assistant itself speaks."""
        self._endpoint.reset()
        self._vad.reset()
        self._unheard.clear()
        self._before.clear()
        self._clear()

    @property
    def speaking(self) -> bool:
        """Whether a turn is going on."""
        return bool(self._turn)

    def _begin(self) -> SpeechBegan:
        self._turn = list(self._before)
        self._before.clear()
        self._last = len(self._turn) - 1
        # The model needs a frame or two to be sure; a decision must not seem to begin later than it did.
        self._first = max(0, len(self._turn) - self._endpoint.frames_to_begin - _SURE_AFTER)
        return SpeechBegan(self._turn[self._first].at)

    def _end(self, *, pause: int | None, capped: bool = False) -> Ended:
        ended = Ended(self._utterance(capped=capped), pause)
        self._before.extend(self._turn[-_PRE_ROLL:])
        self._clear()
        return ended

    def _clear(self) -> None:
        self._turn = []
        self._levels.clear()
        self._first = self._last = 0

    def _utterance(self, *, capped: bool = False) -> Utterance:
        samples: Samples = np.concatenate([frame.samples for frame in self._turn])
        return Utterance(
            samples=samples,
            began_at=self._turn[self._first].at,
            ended_at=self._turn[max(self._first, self._last)].at + FRAME_SECONDS,
            speech_seconds=len(self._levels) * FRAME_SECONDS,
            level_db=float(np.mean(self._levels)) if self._levels else -120.0,
            floor_db=self._endpoint.floor_db,
            capped=capped,
            begins=self._first * FRAME,
            ends=(max(self._first, self._last) + 1) * FRAME,
        )
