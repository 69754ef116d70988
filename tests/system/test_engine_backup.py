"""A root in use is backed up, restored elsewhere by the command, and an engine goes on from there."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.desk import Desk, until
from support.kills import Writers, unreadable_files

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]


def conduit(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "voice", "--home", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_busy_root_comes_back_elsewhere_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    file, other = tmp_path / "conduit.tar.gz", tmp_path / "elsewhere"
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(tmp_path / "work")
        project = agent["projectId"]
        with Writers(desk, project, agent["id"]) as writers:
            until(lambda: len(writers.chat) > 20 and len(writers.plans) > 5, "something to back up")
            chat, plans = list(writers.chat), list(writers.plans)
            made = conduit(tmp_path / "home", "backup", str(file))
        assert made.returncode == 0, made.stderr
        refused = conduit(tmp_path / "home", "restore", str(file))
        assert (refused.returncode, "not empty" in refused.stderr) == (5, True)
    restored = conduit(other, "restore", str(file))
    assert restored.returncode == 0, restored.stderr
    with Desk(other) as desk:
        client = desk.client()
        assert set(chat) <= {entry["id"] for entry in client.chat(project_id=project, limit=500)}
        assert set(plans) <= {plan["id"] for plan in client.list_plans(project_id=project)}
        session = client.session(session=f"S-{agent['sessionNumber']}")
        assert session["state"] == "process_lost"
        assert session["control_path"].startswith(str(other))
        assert client.verify_session(session=session["id"]) == {"differences": []}
        assert unreadable_files(other) == []
