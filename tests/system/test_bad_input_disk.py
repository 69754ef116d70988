"""Homes that can't be written, on a real file system: said in a sentence, and nothing acknowledged is lost."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap to mount a file system of its own"),
]


def conduit(home: Path, *arguments: str) -> str:
    return " ".join([sys.executable, "-m", "voice", "--home", str(home), *arguments])


def boxed(home: Path, script: str, *mount: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` where ``home`` is mounted like that; every process ends with it."""
    return subprocess.run(
        [
            "bwrap",
            "--dev-bind",
            "/",
            "/",
            *mount,
            "--unshare-pid",
            "--proc",
            "/proc",
            "--die-with-parent",
            "sh",
            "-c",
            script,
        ],
        env={**os.environ, "CONDUIT_PRACTICE_SPEED": "0"},
        cwd=home.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.mark.parametrize("command", [("engine", "--port", "0"), ("up", "--no-voice", "--no-browser", "--port", "0")])
def test_a_read_only_home_is_said_in_one_sentence(home: Path, command: tuple[str, ...]) -> None:
    done = boxed(home, conduit(home, *command), "--ro-bind", str(home), str(home))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "read-only" in done.stderr.lower()
    assert str(home) in done.stderr


def test_doctor_names_a_home_that_can_not_be_written(home: Path) -> None:
    done = boxed(home, conduit(home, "doctor", "--json"), "--ro-bind", str(home), str(home))
    assert done.returncode == 1
    assert "cannot be written" in done.stdout


@pytest.mark.parametrize("command", [("engine", "--port", "0"), ("up", "--no-voice", "--no-browser", "--port", "0")])
def test_a_full_disk_at_the_start_is_said_in_one_sentence(home: Path, command: tuple[str, ...]) -> None:
    fill = f"head -c 20000000 /dev/zero 2>/dev/null >{home}/filled"
    done = boxed(home, f"{fill}; {conduit(home, *command)}", "--size", "1000000", "--tmpfs", str(home))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "is full; make room" in done.stderr


def test_a_disk_that_fills_up_loses_nothing_acknowledged_and_works_again_with_room(home: Path) -> None:
    chat = conduit(home, "chat", "practice")
    script = f"""
        {conduit(home, "up", "--no-voice", "--no-browser", "--port", "0")} >/dev/null || exit 90
        {chat} before >/dev/null || exit 91
        head -c 90000000 /dev/zero 2>/dev/null >{home}/filled
        {chat} $(head -c 9000 /dev/zero | tr '\\0' x) >/dev/null; echo "during $?"
        {conduit(home, "status")} >/dev/null; echo "status $?"
        rm {home}/filled
        {chat} after >/dev/null; echo "after $?"
        {chat} --json
        {conduit(home, "down")} >/dev/null; echo "down $?"
    """
    done = boxed(home, script, "--size", "30000000", "--tmpfs", str(home))
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("[")] == ["during 1", "status 0", "after 0", "down 0"], done
    assert done.stderr.count("\n") == 1, done.stderr
    assert "the disk is full; make room" in done.stderr
    kept = [entry["text"] for entry in json.loads(next(line for line in lines if line.startswith("[")))]
    assert kept == ["before", "after"]
