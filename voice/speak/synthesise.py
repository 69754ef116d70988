"""Text to sound: Piper on the CPU, sentence by sentence, with espeak-ng where Piper can't be had."""

import io
import logging
import re
import shutil
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import soundfile

from engine.domain.errors import ConduitError, Unavailable
from voice import models
from voice.frames import Samples

_log = logging.getLogger(__name__)
_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_LONGEST = 220
SLOWEST, FASTEST = 0.5, 2.5
ESPEAK = "espeak-ng"
_ESPEAK = {"en": "en-us"}  # where its voice has another name than the language


@dataclass(frozen=True)
class Speech:
    """The sound of one sentence at ``rate`` hertz."""

    text: str
    samples: Samples
    rate: int


class Synthesiser(Protocol):
    """Turns sentences into sound; blocking, for one thread at a time. ``speed`` 1.0 is natural, ``volume`` 1.0 full."""

    name: str
    rate: int
    speed: float
    volume: float

    def sentence(self, text: str) -> Speech:
        """The sound of one sentence."""
        ...


def sentences(text: str) -> list[str]:
    """Cut ``text`` where a speaker breathes; what is longer than 220 letters is cut at a comma or a blank."""
    cut: list[str] = []
    for part in _END.split(text.strip()):
        cut.extend(_breaths(part.strip()))
    return cut


def _breaths(text: str) -> Iterator[str]:
    while len(text) > _LONGEST:
        comma, blank = text.rfind(", ", 0, _LONGEST), text.rfind(" ", 0, _LONGEST)
        end = comma + 1 if comma > _LONGEST // 3 else blank if blank > 0 else _LONGEST
        yield text[:end].strip()
        text = text[end:].strip()
    if text:
        yield text


class Piper:
    """A Piper voice; the first sentence of a reply takes 50-100 ms."""

    def __init__(self, voice: Any, name: str, speed: float = 1.0, volume: float = 1.0) -> None:
        self._voice = voice
        self._lock = threading.Lock()
        self.name = name
        self.rate = int(voice.config.sample_rate)
        self.speed = speed
        self.volume = volume

    @classmethod
    def load(cls, name: str, settings: Mapping[str, str] | None = None) -> "Piper":
        """Load by name in the manifest or by folder; Unavailable when the voice can't be had."""
        folder = models.find(name, settings)
        files = sorted(folder.glob("*.onnx"))
        if not files:
            raise Unavailable(f"{folder} holds no Piper voice (a file *.onnx with its *.onnx.json).")
        try:
            from piper import PiperVoice

            voice = PiperVoice.load(str(files[0]))
        except (ImportError, OSError, RuntimeError, ValueError, KeyError) as error:
            raise Unavailable(f"The voice {name} could not be loaded ({error}); run scripts/setup again.") from error
        return cls(voice, name)

    def sentence(self, text: str) -> Speech:
        """See :class:`Synthesiser`; text without a letter to speak is silence."""
        from piper import SynthesisConfig

        config = SynthesisConfig(length_scale=self._voice.config.length_scale / self.speed, volume=self.volume)
        with self._lock:
            parts = [chunk.audio_float_array for chunk in self._voice.synthesize(text, config)]
        sound = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
        return Speech(text, sound.astype(np.float32), self.rate)


class Espeak:
    """The espeak-ng program: robotic, but everywhere and at once."""

    def __init__(self, voice: str = "en-us", speed: float = 1.0, volume: float = 1.0) -> None:
        if shutil.which("espeak-ng") is None:
            raise Unavailable("espeak-ng is not installed, so there is no voice to fall back on; run scripts/setup.")
        self._voice = voice
        self.name = f"espeak-ng {voice}"
        self.rate = 22050
        self.speed = speed
        self.volume = volume

    def sentence(self, text: str) -> Speech:
        """See :class:`Synthesiser`; Unavailable when the program fails."""
        command = ["espeak-ng", "-v", self._voice, "-s", str(round(165 * self.speed)), "--stdin", "--stdout"]
        try:
            done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=20, check=True)
            sound, rate = soundfile.read(io.BytesIO(done.stdout), dtype="float32")
        except (subprocess.SubprocessError, OSError, soundfile.SoundFileError) as error:
            raise Unavailable(f"espeak-ng could not speak ({error}).") from error
        return Speech(text, (sound * self.volume).astype(np.float32), int(rate))


class Cached:
    """Keeps the sound of short replies, as they come again and again; a change of speed or volume begins anew."""

    def __init__(self, voice: Synthesiser, kept_seconds: float = 120.0) -> None:
        self._voice = voice
        self._room = kept_seconds
        self._known: OrderedDict[tuple[str, float, float], Speech] = OrderedDict()
        self._lock = threading.Lock()
        self.name = voice.name
        self.rate = voice.rate

    @property
    def speed(self) -> float:
        """1.0 is natural."""
        return self._voice.speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._voice.speed = min(FASTEST, max(SLOWEST, value))

    @property
    def volume(self) -> float:
        """1.0 is full."""
        return self._voice.volume

    @volume.setter
    def volume(self, value: float) -> None:
        self._voice.volume = min(1.0, max(0.0, value))

    def sentence(self, text: str) -> Speech:
        """From memory, or made and remembered when it is short."""
        key = (text, self.speed, self.volume)
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        made = self._voice.sentence(text)
        if len(text) <= 80:
            self._remember(key, made)
        return made

    def _remember(self, key: tuple[str, float, float], speech: Speech) -> None:
        with self._lock:
            self._known[key] = speech
            while sum(len(one.samples) / one.rate for one in self._known.values()) > self._room:
                self._known.popitem(last=False)


def load_synthesiser(
    name: str = "en_US-joe-medium",
    speed: float = 1.0,
    volume: float = 1.0,
    settings: Mapping[str, str] | None = None,
    language: str = "en",
) -> Cached:
    """The named Piper voice, else espeak-ng with a warning in the log; Unavailable when neither can be had.

    ``name`` "espeak-ng" asks for espeak-ng, which speaks every ``language``.
    """
    voice: Synthesiser
    spare = _ESPEAK.get(language, language)
    try:
        voice = Espeak(spare) if name == ESPEAK else Piper.load(name, settings)
    except ConduitError as error:
        if name == ESPEAK:
            raise
        _log.warning("%s Speaking with espeak-ng meanwhile.", error)
        voice = Espeak(spare)
    cached = Cached(voice)
    cached.speed, cached.volume = speed, volume
    return cached
