"""Sound files of every kind become 16 kHz mono; what is no sound is said in one sentence."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.domain.errors import BadRequest, Unavailable
from voice.audio.files import read_sound, to_frames, write_wav
from voice.frames import FRAME, RATE


def tone(rate: int, channels: int) -> np.ndarray:
    wave = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    return np.repeat(wave[:, None], channels, axis=1)


@pytest.mark.parametrize("rate", [8000, 16000, 44100, 96000])
@pytest.mark.parametrize(
    ("kind", "width"),
    [("WAV", "PCM_U8"), ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "PCM_32"), ("WAV", "FLOAT"), ("FLAC", "PCM_16")],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_any_rate_width_and_channels_are_read(tmp_path: Path, rate: int, kind: str, width: str, channels: int) -> None:
    path = tmp_path / f"a.{kind.lower()}"
    soundfile.write(path, tone(rate, channels), rate, subtype=width, format=kind)
    sound = read_sound(path)
    assert sound.dtype == np.float32 and sound.ndim == 1
    assert len(sound) == pytest.approx(RATE, abs=32)
    crossings = np.count_nonzero(np.diff(np.signbit(sound[1000:-1000])))
    assert crossings == pytest.approx(2 * 440 * (RATE - 2000) / RATE, rel=0.02)


def test_ogg_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    soundfile.write(path, tone(44100, 1), 44100, format="OGG", subtype="VORBIS")
    assert len(read_sound(path)) == pytest.approx(RATE, abs=200)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("junk.wav", bytes(range(256)) * 40, "could not be read as sound"),
        ("cut.wav", b"RIFF\x10\x00\x00\x00WAVEfmt ", "could not be read as sound"),
        ("empty.wav", b"", "is empty"),
        ("text.txt", b"hello", "could not be read as sound"),
    ],
)
def test_what_is_no_sound_is_said_in_one_sentence(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadRequest, match=said) as refused:
        read_sound(path)
    assert name in str(refused.value) and "\n" not in str(refused.value)


def test_a_folder_a_missing_file_and_a_silent_header_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="is a folder"):
        read_sound(tmp_path)
    with pytest.raises(BadRequest, match="There is no file"):
        read_sound(tmp_path / "none.wav")
    write_wav(tmp_path / "zero.wav", np.zeros(0, dtype=np.float32))
    with pytest.raises(BadRequest, match="no sound at all"):
        read_sound(tmp_path / "zero.wav")
    with pytest.raises(Unavailable, match="could not be written"):
        write_wav(tmp_path / "no" / "where.wav", np.zeros(10, dtype=np.float32))


def test_what_is_not_a_number_becomes_silence(tmp_path: Path) -> None:
    path = tmp_path / "nan.wav"
    soundfile.write(path, np.full(RATE, np.nan), RATE, subtype="FLOAT")
    assert np.isfinite(read_sound(path)).all()


def test_frames_are_whole_and_follow_each_other() -> None:
    frames = to_frames(np.ones(FRAME * 2 + 1, dtype=np.float32), at=5.0)
    assert [len(frame.samples) for frame in frames] == [FRAME] * 3
    assert frames[1].at == pytest.approx(5.032)
