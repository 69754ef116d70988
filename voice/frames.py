"""The values that pass between microphone, recogniser and loop: 16 kHz mono float32 in -1..1, times in boot seconds.

Everything under ``voice`` speaks of sound in these types only. A time is ``Clock.boot()`` (seconds since boot, counting
suspend), because windows of consent are measured on it; a duration is in seconds.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
"""Samples a second, everywhere between microphone and recogniser."""

FRAME = 512
"""Samples in one frame (32 ms): what the voice activity model takes at once."""

PADDING = 0.4
"""Seconds kept around speech when it is recognised."""

FRAME_SECONDS = FRAME / RATE

Samples = NDArray[np.float32]
"""Mono sound, one dimension, -1..1."""

Completeness = Literal["complete", "open", "consent", "unknown"]
"""How finished the words sound: a whole command, one that wants more, one that decides, or who knows."""

Rejection = Literal[
    "no_speech",
    "too_quiet",
    "unlikely",
    "repeated",
    "compressible",
    "invention",
    "only_bias",
    "empty",
]
"""Why a transcript is not taken as words of the user; see :mod:`voice.listen.reject`."""


@dataclass(frozen=True, slots=True)
class Frame:
    """32 ms of sound: exactly ``FRAME`` samples; ``at`` is the boot time of the first one."""

    samples: Samples
    at: float


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of the user, with 300 ms before it; ``samples`` also hold the closing silence heard so far."""

    samples: Samples
    began_at: float
    """Boot time of the first sample of speech."""
    ended_at: float
    """Boot time of the last sample of speech."""
    speech_seconds: float
    """How much of it is speech by voice activity."""
    level_db: float
    """Loudness of the speech frames, dBFS."""
    floor_db: float
    """Loudness of the room before and between, dBFS."""
    capped: bool = False
    """It was cut off by the longest length a turn may have."""

    begins: int = 0
    """Sample of ``samples`` where speech began."""
    ends: int | None = None
    """Sample after the last one of speech; None for all."""

    @property
    def seconds(self) -> float:
        """Length of ``samples``."""
        return len(self.samples) / RATE

    @property
    def speech(self) -> Samples:
        """The speech alone with up to ``PADDING`` seconds around it: what is recognised."""
        around = round(PADDING * RATE)
        last = len(self.samples) if self.ends is None else self.ends + around
        return self.samples[max(0, self.begins - around) : last]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One reading of the sound; ``avg_logprob`` is the mean log-probability of its tokens."""

    text: str
    avg_logprob: float
    confidence: float
    """exp(avg_logprob), 0 when the text was found to repeat itself."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard, best reading first; ``rejected`` says why it must not be acted on."""

    hypotheses: tuple[Hypothesis, ...]
    no_speech_prob: float
    compression_ratio: float
    seconds: float
    """Length of the sound that was recognised."""
    rejected: Rejection | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds by stage: ``features``, ``encode``, ``decode``."""

    @property
    def text(self) -> str:
        """The best reading, or nothing."""
        return self.hypotheses[0].text if self.hypotheses else ""

    @property
    def confidence(self) -> float:
        """Of the best reading; 0 when there is none."""
        return self.hypotheses[0].confidence if self.hypotheses else 0.0


NOTHING = Transcript(hypotheses=(), no_speech_prob=1.0, compression_ratio=0.0, seconds=0.0, rejected="no_speech")
"""What silence says."""


def level_db(samples: Samples) -> float:
    """Root mean square in dBFS; -120 for nothing at all."""
    if not len(samples):
        return -120.0
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return max(-120.0, 10.0 * float(np.log10(power + 1e-12)))
