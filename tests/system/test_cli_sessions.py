"""``conduit sessions`` against a real engine: each command, what it prints, and its sentence for what can't be."""

import itertools
import json
from pathlib import Path

import pytest
from test_cli_real_engine import Conduit, conduit, env, pytestmark

__all__ = ["conduit", "env", "pytestmark"]  # fixtures and marks of the command line's other tests


@pytest.fixture
def lived(conduit: Conduit, tmp_path: Path) -> Conduit:
    """Two sessions: S-1 has ended, S-2 runs."""
    assert conduit("up", "--no-voice", "--port", "0").returncode == 0
    (tmp_path / "work").mkdir()
    assert conduit("projects", "add", "apollo", "--cwd", str(tmp_path / "work")).returncode == 0
    assert conduit("agents", "add", "apollo", "worker", "--command", "sh -c 'echo hello; sleep 600'").returncode == 0
    assert conduit("agents", "start", "worker").returncode == 0
    assert conduit("agents", "stop", "worker").returncode == 0
    assert conduit("agents", "start", "worker").returncode == 0
    return conduit


def test_every_command_does_what_it_says(lived: Conduit, tmp_path: Path) -> None:
    listed = json.loads(lived("sessions", "--json").stdout)
    names = [run["name"] for run in listed if run["agentName"] == "worker"]
    running, ended = names[0], names[1]
    shown = lived("sessions", "show", running)
    assert "worker" in shown.stdout
    assert "None" not in shown.stdout
    assert "exit code" not in shown.stdout
    (tmp_path / "notes.txt").write_text("to be kept")
    attached = json.loads(lived("sessions", "attach-file", running, str(tmp_path / "notes.txt"), "--json").stdout)
    assert Path(attached["path"]).read_text() == "to be kept"
    assert "notes.txt" in lived("sessions", running).stdout
    assert f"{running} (worker) is halted" in lived("sessions", "halt", running).stdout
    assert json.loads(lived("sessions", "show", running, "--json").stdout)["haltedBy"] == "cli"
    assert lived("sessions", "resume", running).returncode == 0
    assert f"{running} (worker) is cancelled" in lived("sessions", "cancel", running).stdout
    assert "archived" in lived("sessions", "archive", ended).stdout
    assert ended not in lived("sessions").stdout
    assert ended in lived("sessions", "--archived").stdout
    assert "archived" not in lived("sessions", "archive", "--back", ended).stdout
    assert lived("sessions", "delete", ended).stdout == f"Deleted {ended}.\n"
    assert ended not in lived("sessions", "--archived").stdout
    assert "records and journals agree" in lived("sessions", "verify").stdout


def test_session_that_is_not_there_is_one_sentence(lived: Conduit) -> None:
    commands = ("show", "resume", "halt", "cancel", "archive", "delete", "verify")
    for command, name in itertools.product(commands, ("S-999", "../../etc")):
        done = lived("sessions", command, name)
        assert (done.returncode, done.stdout) == (1, ""), (command, name)
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert done.stderr.strip().endswith(".")


def test_what_a_running_session_does_not_allow_is_said(lived: Conduit) -> None:
    running = json.loads(lived("sessions", "--json").stdout)[0]["name"]
    for command in ("delete", "resume"):
        done = lived("sessions", command, running)
        assert done.returncode in (1, 5)
        assert len(done.stderr.strip().splitlines()) == 1
    assert json.loads(lived("sessions", "show", running, "--json").stdout)["state"] in ("starting", "working", "idle")
