"""The project's folder and instructions, handed over to the real programs that work in another folder."""

import pytest
from agents.ground import LIMIT, Ground
from agents.install import binary
from support.desk import until

pytestmark = [pytest.mark.agents, pytest.mark.system, pytest.mark.timeout(150)]


@pytest.mark.parametrize("cli", ["claude", "codex", "gemini"])
def test_agent_of_another_folder_is_told_of_the_project_and_leaves_no_section(cli: str) -> None:
    if binary(cli) is None:
        pytest.skip(f"{cli} is not installed; run: python tests/agents/install.py {cli}")
    with Ground(cli) as ground:
        shared = ground.base / "shared"
        shared.mkdir()
        client = ground.desk.client()
        project = client.create_project(name="Apollo", cwd=str(shared))
        agent = client.create_agent(project_id=project["id"], name="backend", cli=cli, cwd=str(ground.project))
        ground.agent = dict(agent)
        client.start_agent(**ground.who)
        ground.ready()
        ground.tell("SAY{hello from the model}")
        asked = ground.turns(1)[0].request
        told = asked.system + asked.history
        assert "# Project Apollo" in told
        assert str(shared) in told
        briefing = (ground.control / "briefing.md").read_text()
        assert briefing.startswith("# Project Apollo")
        assert all(line in told for line in briefing.splitlines() if line)
        until(lambda: ground.turns(1)[0].finished, "the turn to end", LIMIT)
        client.stop_agent(**ground.who)
        until(lambda: sorted(path.name for path in ground.project.glob("*.md")) == [], "the section to go")
