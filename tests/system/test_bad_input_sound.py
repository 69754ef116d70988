"""Sound files of every kind through `conduit hear`: those that are sound are understood, the others said."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from support.person import utterance

from voice import models

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]
KINDS = [
    ("8-bit.wav", 16_000, 1, "PCM_U8"),
    ("stereo.wav", 16_000, 2, "PCM_16"),
    ("8-kilohertz.wav", 8_000, 1, "PCM_16"),
    ("44-kilohertz.wav", 44_100, 2, "PCM_24"),
    ("96-kilohertz.wav", 96_000, 1, "FLOAT"),
    ("44-kilohertz.flac", 44_100, 2, "PCM_16"),
    ("96-kilohertz.flac", 96_000, 1, "PCM_24"),
]


def hear(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "voice", "--home", str(home), "hear", "--dry-run", *arguments],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_every_width_rate_and_number_of_channels_is_understood(tmp_path: Path) -> None:
    said = utterance("what is waiting")
    quiet = np.zeros(8_000, dtype=np.float32)
    said = np.concatenate([quiet, said, quiet])
    files = []
    for name, rate, channels, subtype in KINDS:
        sound = np.repeat(soxr.resample(said, 16_000, rate)[:, None], channels, axis=1)
        soundfile.write(tmp_path / name, sound, rate, subtype=subtype)
        files.append(str(tmp_path / name))
    done = hear(tmp_path / "home", *files)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["file"] for row in rows] == files
    assert {row["intent"] for row in rows} == {"gate.list"}, rows


def test_files_that_are_no_sound_are_each_said_and_the_good_one_is_still_understood(tmp_path: Path) -> None:
    (tmp_path / "binary.wav").write_bytes(np.random.default_rng(7).bytes(100_000))
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("what is waiting")
    (tmp_path / "cut.wav").write_bytes(b"RIFF\x24\x00\x00\x00WAVEfmt ")
    good = tmp_path / "good.wav"
    soundfile.write(good, np.concatenate([utterance("what is waiting"), np.zeros(8_000, dtype=np.float32)]), 16_000)
    bad = ["binary.wav", "empty.wav", "text.wav", "cut.wav", "missing.wav", "."]
    done = hear(tmp_path / "home", *(str(tmp_path / name) for name in bad), str(good))
    assert done.returncode == 1
    told = done.stderr.strip().splitlines()
    assert len(told) == len(bad), done.stderr
    assert all(str(tmp_path) in line and line.endswith(".") for line in told)
    assert [json.loads(line)["intent"] for line in done.stdout.splitlines()] == ["gate.list"]


def test_silence_is_said_and_gives_no_command(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(32_000, dtype=np.float32), 16_000)
    done = hear(tmp_path / "home", str(tmp_path / "silence.wav"))
    assert done.returncode == 1
    assert done.stderr == "No speech was found; record it again, louder or closer to the microphone.\n"
    row = json.loads(done.stdout)
    assert (row["speech"], row["intent"], row["transcript"]) == (0.0, None, "")


@pytest.mark.parametrize(("fault", "says"), [("missing", "config.json"), ("changed", "it is not used")])
def test_a_model_that_is_not_whole_is_refused_with_what_to_do(tmp_path: Path, fault: str, says: str) -> None:
    folder, home = tmp_path / "model", tmp_path / "home"
    folder.mkdir()
    for file in models.find("base").iterdir():
        (folder / file.name).symlink_to(file)
    config = folder / "config.json"
    content = config.read_bytes()
    config.unlink()
    if fault == "changed":
        config.write_bytes(content.replace(b"{", b" ", 1))
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.yaml").write_text(f"voice:\n  models:\n    base: {folder}\n")
    sound = tmp_path / "said.wav"
    soundfile.write(sound, utterance("what is waiting"), 16_000)
    done = hear(home, str(sound))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert says in done.stderr
    assert done.stdout == ""


def test_an_unknown_model_lists_those_there_are(tmp_path: Path) -> None:
    sound = tmp_path / "said.wav"
    shutil.copy(__file__, sound)
    done = hear(tmp_path / "home", "--model", "nonsense", str(sound))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "tiny.en, base" in done.stderr
