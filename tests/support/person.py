"""A person at the desk: speaks with a voice other than the assistant's, and hears through a recogniser of their own."""

from __future__ import annotations

import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr
from faster_whisper import WhisperModel
from support.desk import until
from support.soundcard import TAPE_RATE, Sound, SoundCard, Spoken, boot

from voice import models

VOICES = {
    "slt": ["flite", "-voice", "slt", "-t", "{text}", "-o", "{file}"],
    "rms": ["flite", "-voice", "rms", "-t", "{text}", "-o", "{file}"],
    "awb": ["flite", "-voice", "awb", "-t", "{text}", "-o", "{file}"],
    "espeak": ["espeak-ng", "-v", "en-us", "-s", "150", "-w", "{file}", "{text}"],
}
PAUSE = 1.0  # seconds of silence after which the assistant has finished


@cache
def utterance(text: str, voice: str = "slt") -> Sound:
    """Samples at 16 kHz, trimmed of silence so that its end is the end of speech."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.wav"
        command = [part.format(text=text, file=file) for part in VOICES[voice]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sound, rate = soundfile.read(file, dtype="float32")
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    sound = sound[loud[0] : loud[-1] + 1]
    resampled = soxr.resample(sound, rate, TAPE_RATE).astype(np.float32)
    return np.asarray(resampled * (0.5 / np.max(np.abs(resampled))), dtype=np.float32)


@cache
def _ears() -> WhisperModel:
    return WhisperModel(str(models.find("base")), device="cpu", compute_type="int8", cpu_threads=2)


class Person:
    """Says things into the microphone and hears what comes from the loudspeaker."""

    def __init__(self, card: SoundCard, voice: str = "slt") -> None:
        self.card = card
        self.voice = voice

    def say(self, text: str) -> Spoken:
        """Returns when the last sample has gone into the microphone."""
        return self.card.say(utterance(text, self.voice))

    def hear(self, since: float, timeout: float = 40.0) -> str:
        """What the assistant says after ``since``, once it has paused; lower case, without punctuation."""
        self.card.speaker.wait_for_sound(since, timeout=timeout)
        self.card.speaker.wait_for_quiet(PAUSE, timeout=90.0)
        return transcribe(self.card.speaker.samples_since(since)[1])

    def ask(self, text: str) -> str:
        """Say something and hear the reply."""
        return self.hear(self.say(text).ended_at)

    def hear_until(self, since: float, pattern: str, timeout: float = 60.0) -> str:
        """Listen on until what was said since then has ``pattern`` (a regular expression) in it."""

        def look() -> str | None:
            _, sound = self.card.speaker.samples_since(since)
            heard = transcribe(sound) if np.max(np.abs(sound), initial=0) > 0.002 else ""
            return heard if re.search(pattern, heard) else None

        until(look, f"the assistant to say {pattern!r}", limit=timeout)
        self.card.speaker.wait_for_quiet(PAUSE, timeout=90.0)
        return look() or ""  # anew: the pattern may have been found in half a word

    def now(self) -> float:
        return boot()


def transcribe(sound: Sound) -> str:
    """Plain words of a recording, by a recogniser that has nothing to do with the product's."""
    segments, _ = _ears().transcribe(
        sound, language="en", beam_size=5, vad_filter=False, condition_on_previous_text=False
    )
    text = " ".join(segment.text for segment in segments).lower()
    return re.sub(r"[^a-z0-9' ]+", " ", text).strip()
