"""Agents that run on although their CLI has left the catalog: found again, shown, decided about and stopped."""

import json
from pathlib import Path

import pytest
from support.desk import Desk, until

from engine.domain.errors import NotFound

pytestmark = pytest.mark.system
FORGOTTEN = "bygone"


def forget_the_cli(home: Path, agent_id: str) -> None:
    """What another version's catalog does to an agent: its CLI is unknown now."""
    path = next(path for path in home.rglob("project.json") if agent_id in path.read_text())
    file = json.loads(path.read_text())
    text = json.dumps(file).replace('"cli": "practice"', f'"cli": "{FORGOTTEN}"')
    assert FORGOTTEN in text
    path.write_text(text)


def test_agent_of_a_forgotten_cli_keeps_its_gate_and_can_be_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with Desk(tmp_path / "home") as desk:
        agent = desk.practice(folder)
        who = {"project_id": agent["projectId"], "agent_id": agent["id"]}
        desk.client().inject(project=agent["projectId"], agent=agent["id"], message="clean up")
        gate = desk.gate(agent["projectId"], agent["id"])
        desk.kill()
        forget_the_cli(desk.home, agent["id"])
        desk.start()
        view = desk.agent(agent["projectId"], agent["id"])
        assert view["pendingGate"]["id"] == gate["id"]
        assert view["frozen"]
        assert (folder / "build").is_dir()
        said = [line["text"] for line in desk.client().chat(project_id=agent["projectId"])]
        assert any(f"{FORGOTTEN} is not a CLI that Conduit knows any more" in text for text in said)
        desk.client().resolve(**who, gate_id=gate["id"], decision="approve")
        until(lambda: not (folder / "build").exists(), "the folder to go")
        desk.client().stop_agent(**who)
        assert desk.agent(agent["projectId"], agent["id"])["status"] == "stopped"
        with pytest.raises(NotFound, match=FORGOTTEN):
            desk.client().start_agent(**who)
