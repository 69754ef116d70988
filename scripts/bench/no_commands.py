"""Sounds that are no command: kitchen noise, white and pink noise, music-like sound, and talk about other things."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
import soxr

from voice.frames import RATE, Samples

SECONDS = 3
TALK = (
    "and now the weather for tomorrow, with some rain in the north",
    "did you see the game last night, it went on for ever",
    "the council has decided to close the road for three weeks",
    "my sister is coming on Friday and she brings the children",
    "thank you for watching, see you in the next video",
    "turn left after the bridge and then keep going",
    "he told me that the train was late again this morning",
    "prices rose by two percent compared with last year",
    "could you pass me the salt please, it is over there",
    "the second half begins in a minute, stay with us",
    "we should paint that wall before the winter comes",
    "what a lovely garden, did you plant all of it yourself",
)


def clips(count: int, kitchen: Path, speak: object) -> Iterator[tuple[str, Samples]]:
    """``count`` clips with the kind of each, always the same; ``speak(text, voice)`` gives 16 kHz samples."""
    assert callable(speak)
    rng = np.random.default_rng(11)
    noise = _read(kitchen)
    kinds = ("kitchen", "white", "pink", "music", "talk")
    for number in range(count):
        kind = kinds[number % len(kinds)]
        level = float(rng.uniform(0.02, 0.3))
        if kind == "talk":
            yield (
                kind,
                _louder(speak(TALK[number // 5 % len(TALK)], ("slt", "rms", "awb", "espeak")[number % 4]), level),
            )
        else:
            yield kind, _louder(_made(kind, rng, noise), level)


def _made(kind: str, rng: np.random.Generator, noise: Samples) -> Samples:
    length = SECONDS * RATE
    if kind == "kitchen":
        start = int(rng.integers(0, len(noise) - length))
        return noise[start : start + length]
    white = rng.normal(0.0, 1.0, length)
    if kind == "white":
        return white.astype(np.float32)
    if kind == "pink":
        shaped = np.fft.rfft(white) / np.sqrt(np.maximum(1, np.arange(length // 2 + 1)))
        return np.fft.irfft(shaped, length).astype(np.float32)
    return _music(rng, length)


def _music(rng: np.random.Generator, length: int) -> Samples:
    """Notes of a quarter of a second with overtones, two at a time."""
    step, at = RATE // 4, np.arange(RATE // 4) / RATE
    sound = np.zeros(length)
    for start in range(0, length - step + 1, step):
        for _ in range(2):
            pitch = 220.0 * 2 ** (int(rng.integers(0, 24)) / 12)
            note = sum(np.sin(2 * np.pi * pitch * over * at) / over for over in range(1, 6))
            sound[start : start + step] += note * np.exp(-4 * at)
    return sound.astype(np.float32)


def _louder(sound: Samples, level: float) -> Samples:
    scaled = sound * (level / max(1e-6, float(np.max(np.abs(sound)))))
    return np.pad(scaled, RATE // 2).astype(np.float32)


def _read(path: Path) -> Samples:
    sound, rate = soundfile.read(path, dtype="float32")
    return np.asarray(soxr.resample(sound, rate, RATE), dtype=np.float32)
