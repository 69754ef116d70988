"""An agent with a process that can't be stopped: its question is asked all the same, and that is said."""

import sys
from pathlib import Path

import pytest
from support.desk import Desk, until

from engine.runtimes.processes import LINUX

pytestmark = pytest.mark.system
PROGRAM = Path(__file__).parents[1] / "programs" / "unstoppable.py"


@pytest.mark.skipif(not LINUX, reason="waits in a way that only Linux has")
def test_question_of_an_agent_that_cannot_be_stopped_is_asked_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Desk(tmp_path / "home") as desk:
        client = desk.client()
        made = client.create_project(name="Apollo", cwd=str(tmp_path / "work"))
        agent = client.create_agent(
            project_id=made["id"], name="backend", cli="own", command=[sys.executable, str(PROGRAM)]
        )
        client.start_agent(project_id=made["id"], agent_id=agent["id"])
        gate = desk.gate(made["id"], agent["id"])
        assert "Delete the folder build" in gate["prompt"]
        assert not desk.agent(made["id"], agent["id"])["frozen"]
        said = [line["text"] for line in client.chat(project_id=made["id"])]
        assert any("runs on meanwhile" in text for text in said)
        client.resolve(project_id=made["id"], agent_id=agent["id"], gate_id=gate["id"], decision="reject")
        until(lambda: desk.agent(made["id"], agent["id"])["pendingGate"] is None, "the gate to close")
