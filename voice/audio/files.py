"""Sound files in and out: WAV, FLAC, OGG of any rate, width and channels to 16 kHz mono, faults in one sentence."""

from pathlib import Path

import numpy as np
import soundfile
import soxr

from engine.domain.errors import BadRequest, Unavailable
from voice.frames import FRAME, FRAME_SECONDS, RATE, Frame, Samples

_LONGEST_SECONDS = 3600


def read_sound(path: Path) -> Samples:
    """The whole file as 16 kHz mono float32; BadRequest says in one sentence what is wrong with it."""
    if path.is_dir():
        raise BadRequest(f"{path} is a folder, not a sound file.")
    if not path.exists():
        raise BadRequest(f"There is no file {path}.")
    try:
        with soundfile.SoundFile(path) as file:
            if file.frames > file.samplerate * _LONGEST_SECONDS:
                raise BadRequest(f"{path} is longer than an hour; cut it into shorter files.")
            sound, rate = file.read(dtype="float32", always_2d=True), file.samplerate
    except (soundfile.SoundFileError, OSError, ValueError, TypeError) as error:
        why = (
            "is empty"
            if path.is_file() and path.stat().st_size == 0
            else f"could not be read as sound ({_short(error)})"
        )
        raise BadRequest(f"{path} {why}; WAV, FLAC and OGG are understood.") from error
    if not len(sound):
        raise BadRequest(f"{path} holds no sound at all.")
    return to_mono_16k(sound, rate)


def _short(error: Exception) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text.rsplit(": ", 1)[-1].strip().rstrip(".")


def to_mono_16k(sound: Samples, rate: int) -> Samples:
    """Any rate, (samples, channels) or one dimension, to 16 kHz mono; what is not a number becomes silence."""
    mono = sound if sound.ndim == 1 else sound.mean(axis=1, dtype=np.float32)
    mono = np.nan_to_num(mono, nan=0.0, posinf=1.0, neginf=-1.0)
    if rate != RATE:
        mono = soxr.resample(mono, rate, RATE)
    return np.clip(mono, -1.0, 1.0).astype(np.float32)


def write_wav(path: Path, samples: Samples, rate: int = RATE) -> None:
    """Write 16-bit WAV; Unavailable when it can't be written."""
    try:
        soundfile.write(path, np.clip(samples, -1.0, 1.0), rate, subtype="PCM_16", format="WAV")
    except (soundfile.SoundFileError, OSError) as error:
        raise Unavailable(f"The sound could not be written to {path} ({_short(error)}).") from error


def to_frames(samples: Samples, at: float = 0.0) -> list[Frame]:
    """Cut into whole frames, the last filled with silence; ``at`` is the time of the first sample."""
    short = -len(samples) % FRAME
    whole = np.concatenate([samples, np.zeros(short, dtype=np.float32)])
    return [
        Frame(whole[first : first + FRAME], at + index * FRAME_SECONDS)
        for index, first in enumerate(range(0, len(whole), FRAME))
    ]
