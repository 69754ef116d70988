"""The command line against a real engine with the practice agent: from the first start to the last process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import psutil
import pytest

pytestmark = pytest.mark.system
Conduit = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "CONDUIT_HOME": str(tmp_path / "home"), "CONDUIT_PRACTICE_SPEED": "0"}


@pytest.fixture
def conduit(env: dict[str, str], tmp_path: Path) -> Iterator[Conduit]:
    def run(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "voice", *arguments]
        return subprocess.run(
            command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=timeout, check=False
        )

    yield run
    run("down")
    for process in owned_by(tmp_path):
        process.kill()


def owned_by(folder: Path) -> list[psutil.Process]:
    """Processes that name this test's folder on their command line or work in it."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and (
                str(folder) in " ".join(process.cmdline()) or str(folder) in process.cwd()
            ):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def first_gate(env: dict[str, str]) -> str:
    """The id of the gate that opens, waited for on the event stream."""
    from engine.client import Client

    client = Client.from_home(Path(env["CONDUIT_HOME"]))
    stream = client.events(after=client.snapshot()["eventId"])
    try:
        if waiting := client.snapshot()["gates"]:
            return waiting[0]["id"]
        next(event for event in stream if event["type"] == "gate:triggered")
        return client.snapshot()["gates"][0]["id"]
    finally:
        stream.close()


def test_first_start_to_last_process(conduit: Conduit, env: dict[str, str], tmp_path: Path) -> None:
    up = conduit("up", "--no-voice", "--no-browser", "--port", "0")
    assert up.returncode == 0, up.stderr
    assert "tell robin to clean up" in up.stdout
    assert "#link=" in up.stdout

    assert conduit("tell", "robin", "clean", "up").returncode == 0
    gate = first_gate(env)
    build = tmp_path / "home-practice" / "build"
    assert build.is_dir()
    refused = conduit("tell", "robin", "hello")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert conduit("approve", "robin").returncode == 1
    assert build.is_dir()

    rejected = conduit("reject", gate)
    assert rejected.returncode == 0, rejected.stderr
    assert build.is_dir()
    assert conduit("approve", gate).returncode != 0
    assert build.is_dir()

    again = conduit("up", "--no-voice", "--no-browser")
    assert again.returncode == 0
    assert "attaching" in again.stdout
    assert len(json.loads(conduit("projects", "--json").stdout)) == 1

    second = conduit("engine", "--port", "0")
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1

    assert conduit("down").returncode == 0
    assert conduit("status").returncode == 3
    assert owned_by(tmp_path) == []


def test_approve_by_id_lets_it_happen(conduit: Conduit, env: dict[str, str], tmp_path: Path) -> None:
    assert conduit("up", "--no-voice", "--no-browser", "--port", "0").returncode == 0
    assert conduit("tell", "robin", "clean up").returncode == 0
    approved = conduit("approve", first_gate(env), "--json")
    assert approved.returncode == 0, approved.stderr
    assert json.loads(approved.stdout)["via"] == "cli"
    terminal = pexpect.spawn(
        sys.executable, ["-m", "voice", "attach", "robin"], env=env, cwd=str(tmp_path), timeout=30, encoding="utf-8"
    )
    terminal.expect("build is gone")
    assert not (tmp_path / "home-practice" / "build").exists()
    terminal.send("\x1d")
    terminal.expect("Detached")
    terminal.close()


def test_attach_answers_a_gate_by_words_and_lets_no_key_through(
    conduit: Conduit, env: dict[str, str], tmp_path: Path
) -> None:
    assert conduit("up", "--no-voice", "--no-browser", "--port", "0").returncode == 0
    terminal = pexpect.spawn(
        sys.executable, ["-m", "voice", "attach", "robin"], env=env, cwd=str(tmp_path), timeout=30, encoding="utf-8"
    )
    terminal.expect("> $")
    terminal.send("clean up\r")
    terminal.expect("gate> ")
    for harmless in ("y\r", "yes\r", "\r", "approved\r"):
        terminal.send(harmless)
        terminal.expect("Nothing was sent")
    assert (tmp_path / "home-practice" / "build").is_dir()
    terminal.send("approve\r")
    terminal.expect("build is gone")
    terminal.expect("Approved: robin")
    terminal.send("\x1d")
    terminal.expect("Detached")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    audit = [path.read_text() for path in (tmp_path / "home" / "projects").glob("*/audit.jsonl")]
    assert '"via":"terminal"' in audit[0].replace(" ", "")


def test_an_occupied_port_is_one_sentence(conduit: Conduit, tmp_path: Path, env: dict[str, str]) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        told = conduit("up", "--no-voice", "--no-browser", "--port", str(other.getsockname()[1]))
    assert told.returncode == 1
    assert told.stderr.count("\n") == 1
    assert "conduit up --port" in told.stderr


def test_up_without_a_microphone_says_why_and_what_works_and_stays_until_interrupted(
    conduit: Conduit, env: dict[str, str], tmp_path: Path
) -> None:
    silent = {**env, "PULSE_SERVER": "/nonexistent"}
    up = pexpect.spawn(
        sys.executable,
        ["-m", "voice", "up", "--no-browser", "--port", "0"],
        env=silent,
        cwd=str(tmp_path),
        timeout=60,
        encoding="utf-8",
    )
    up.expect("It does not listen: .*What works without listening: .*Press Ctrl-C")
    assert up.isalive()
    up.sendintr()
    up.expect("conduit down")
    up.expect(pexpect.EOF)
    up.close()
    assert up.exitstatus == 0
    assert json.loads(conduit("status", "--json").stdout)["agents"][0]["status"] == "running"


def test_up_with_stop_on_exit_leaves_no_process(conduit: Conduit, env: dict[str, str], tmp_path: Path) -> None:
    silent = {**env, "PULSE_SERVER": "/nonexistent"}
    up = pexpect.spawn(
        sys.executable,
        ["-m", "voice", "up", "--no-browser", "--port", "0", "--stop-on-exit"],
        env=silent,
        cwd=str(tmp_path),
        timeout=60,
        encoding="utf-8",
    )
    up.expect("Press Ctrl-C")
    up.sendintr()
    up.expect("Voice, agents and engine have stopped")
    up.expect(pexpect.EOF)
    up.close()
    assert up.exitstatus == 0
    assert owned_by(tmp_path) == []


def test_up_goes_on_when_voice_is_killed_and_says_so(conduit: Conduit, env: dict[str, str], tmp_path: Path) -> None:
    up = pexpect.spawn(
        sys.executable,
        ["-m", "voice", "up", "--no-browser", "--port", "0"],
        env={**env, "PULSE_SERVER": "/nonexistent"},
        cwd=str(tmp_path),
        timeout=60,
        encoding="utf-8",
    )
    up.expect("Voice is ready")
    voice = next(process for process in psutil.Process(up.pid).children() if "voice" in process.cmdline())
    voice.kill()
    up.expect(r"Voice has crashed \(SIGKILL\). Start it again with: conduit voice")
    assert conduit("status").returncode == 0
    up.sendintr()
    up.expect(pexpect.EOF)
    up.close()
    assert up.exitstatus == 0
