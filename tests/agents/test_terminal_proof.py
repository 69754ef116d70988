"""Gemini in its terminal, by request: the real program, its gate read off the screen."""

import pytest
from agents.ground import LIMIT, Ground
from agents.install import binary
from support.desk import until

pytestmark = [pytest.mark.agents, pytest.mark.system, pytest.mark.timeout(150)]


@pytest.mark.parametrize(
    ("cli", "flags", "idle"),
    [("gemini", ("-m", "gemini-3.8-flash"), "Type your message")],
)
def test_terminal_is_started_told_gated_and_stopped(cli: str, flags: tuple[str, ...], idle: str) -> None:
    program = binary(cli)
    if program is None:
        pytest.skip(f"{cli} is not installed; run: python tests/agents/install.py {cli}")
    with Ground(cli, command=[str(program), *flags]) as ground:
        ground.begin()
        ground.said(idle)
        ground.tell("SAY{hello from the model} please")
        ground.turns(1)
        until(lambda: ground.turns(1)[0].finished, "the turn to end", LIMIT)
        ground.tell("SHELL{rm -rf build}")
        gate = ground.gate()
        assert gate["source"] == "regex"
        assert "rm -rf build" in gate["command"]
        assert ground.running() == []
        assert (ground.build / "old.o").exists()
        ground.decide(gate, "approve")
        until(lambda: not ground.build.exists(), "the folder to go", LIMIT)
        ground.desk.client().stop_agent(**ground.who)
        assert ground.tree() == []
