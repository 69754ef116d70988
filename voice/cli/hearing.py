"""A sound file through the same ears as the microphone, for ``conduit hear`` and the benches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voice.audio.files import read_sound
from voice.frames import NOTHING, Samples, Transcript, Utterance, level_db
from voice.listen.reject import judged
from voice.listen.transcribe import Recogniser
from voice.listen.vad import Vad, speech_spans

_PADDING = 6400  # samples kept around speech: 0.4 s


@dataclass(frozen=True, slots=True)
class FileHeard:
    """What was heard in a file: seconds of speech, the words (look at ``rejected``), milliseconds by stage."""

    speech: float
    transcript: Transcript
    timings_ms: dict[str, float] = field(default_factory=dict)


def hear_file(path: Path, recogniser: Recogniser, vad: Vad, examples: Sequence[str] = ()) -> FileHeard:
    """The words of a sound file. BadRequest says what is wrong with a file that can't be read."""
    return hear_samples(read_sound(path), recogniser, vad, examples)


def hear_samples(samples: Samples, recogniser: Recogniser, vad: Vad, examples: Sequence[str] = ()) -> FileHeard:
    """From the first to the last speech in ``samples``, as one turn."""
    begun = time.perf_counter()
    spans = speech_spans(samples, vad)
    listened = time.perf_counter()
    if not spans:
        return FileHeard(0.0, NOTHING, {"vad": _ms(begun, listened)})
    utterance = _turn(samples, spans)
    transcript = judged(recogniser.transcribe(utterance.samples, examples, 5), examples, utterance)
    timings = {"vad": _ms(begun, listened), "recognise": _ms(listened, time.perf_counter())}
    return FileHeard(utterance.speech_seconds, transcript, timings)


def _turn(samples: Samples, spans: Sequence[tuple[int, int]]) -> Utterance:
    first, last = spans[0][0], spans[-1][1]
    speech = sum(end - start for start, end in spans)
    return Utterance(
        samples=samples[max(0, first - _PADDING) : last + _PADDING],
        began_at=first / 16_000,
        ended_at=last / 16_000,
        speech_seconds=speech / 16_000,
        level_db=level_db(samples[first:last]),
        floor_db=level_db(samples[:first]),
    )


def _ms(begun: float, ended: float) -> float:
    return round((ended - begun) * 1000.0, 1)
