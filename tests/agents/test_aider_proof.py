"""Aider, the real program, in its terminal: what gpt and nemotron run, through the API of the engine alone."""

from collections.abc import Iterator
from typing import Any

import pytest
from agents.ground import Ground
from agents.install import binary
from agents.proof import DOWN_LIMIT, killed_at
from support.desk import until

from engine.domain.errors import BadRequest, Conflict
from engine.sessions import section

pytestmark = [pytest.mark.agents, pytest.mark.system, pytest.mark.timeout(150)]
QUIET = (
    "--no-check-update",
    "--analytics-disable",
    "--no-show-model-warnings",
    "--no-show-release-notes",
    "--edit-format",
    "diff",
)
LONG = "\n".join(f"Line {n}: \"quotes\", 'single', 🦊 émoji, `ticks` and $HOME." for n in range(90))[:5000].rstrip()


@pytest.fixture
def ground() -> Iterator[Ground]:
    """The catalog's own entry, its model replaced by the scripted one."""
    if binary("aider") is None:
        pytest.skip("aider is not installed; run: python tests/agents/install.py aider")
    with Ground("gpt", program="aider", env={"GROQ_API_KEY": "test-key"}) as ground:
        address = ("--openai-api-base", f"{ground.model.url}/v1", "--openai-api-key", "test-key")
        ground.flags = ("--model", "openai/scripted", *address, *QUIET)
        ground.begin()
        opened(ground)
        yield ground


def opened(ground: Ground) -> None:
    """Approve what it asks at its first start (a line in .gitignore), until it waits for a message."""

    def look() -> bool:
        view = ground.view()
        if view["pendingGate"] is not None:
            assert ".gitignore" in view["pendingGate"]["prompt"]
            ground.decide(view["pendingGate"], "approve")
            return False
        return view["status"] != "stopped" and shows(ground, "diff>")

    until(look, "aider's input line", 90.0)


def shows(ground: Ground, text: str) -> bool:
    return text in ground.desk.client().output(**ground.who, lines=200)["text"]


def test_turn_command_and_refusal_in_one_conversation(ground: Ground) -> None:
    assert ground.view()["livenessOnly"]
    assert ground.view()["status"] == "running"
    ground.tell("SAY{hello from the model}")
    ground.turns(1)
    ground.said("hello from the model")
    assert section.BEGIN.decode() in ground.turns(1)[0].request.history

    ground.tell("SHELL{rm -rf build && echo once >> runs}")
    gate = ground.gate()
    assert "rm -rf build" in gate["command"]
    assert gate["tier"] == "harmful"
    assert ground.running() == []
    assert ground.build.is_dir()
    with pytest.raises(BadRequest, match="waits at gate"):
        ground.tell("go on")
    ground.decide(gate, "reject")
    ground.tell("SAY{still listening}")
    ground.said("still listening")
    assert (ground.build / "old.o").exists()

    ground.tell("SHELL{rm -rf build && echo once >> runs}")
    again = ground.gate()
    ground.decide(again, "approve")
    runs = ground.project / "runs"
    until(lambda: runs.exists() and runs.read_text(), "the mark of the run")
    assert not ground.build.exists()
    with pytest.raises(Conflict):
        ground.decide(again, "reject")
    assert runs.read_text() == "once\n"


def test_own_answer_that_it_does_not_take_runs_nothing_and_is_asked_again(ground: Ground) -> None:
    """Its question takes yes or no alone; the words stay on its screen, and the question is a gate once more."""
    ground.tell("SHELL{rm -rf build}")
    gate = ground.gate()
    ground.decide(gate, "custom", custom_input="use make clean, please")
    again = until(lambda: another(ground, gate["id"]), "the question to be asked again")
    assert (ground.build / "old.o").exists()
    assert shows(ground, "use make clean, please")
    ground.decide(again, "reject")
    ground.tell("SAY{still listening}")
    ground.said("still listening")
    assert (ground.build / "old.o").exists()


def another(ground: Ground, before: str) -> dict[str, Any] | None:
    """A gate that is not the one before."""
    gate: dict[str, Any] | None = ground.view()["pendingGate"]
    return gate if gate is not None and gate["id"] != before else None


def test_long_message_arrives_whole_and_once(ground: Ground) -> None:
    ground.tell(LONG)
    ground.turns(1)
    ground.tell("SAY{next}")
    ground.said("next")
    assert len([turn for turn in ground.model.turns() if LONG in turn.request.prompt]) == 1


def test_interrupt_ends_the_turn_and_not_the_agent(ground: Ground) -> None:
    ground.tell("SLOW{60}")
    ground.said("word3")
    ground.desk.client().interrupt_agent(**ground.who)
    ground.said("again to exit")
    ground.tell("SAY{still here}")
    ground.said("still here")


def test_killed_agent_at_a_gate_closes_the_gate_with_a_reason(ground: Ground) -> None:
    ground.tell("SHELL{rm -rf build}")
    gate = ground.gate()
    killed_at(ground, gate)
    assert ground.tree() == []


def test_model_that_is_down_is_said_in_time_and_a_stop_leaves_no_process(ground: Ground) -> None:
    ground.model.down()
    ground.tell("SAY{nobody hears this}")
    ground.chat(lambda text: "model" in text, "word that the model is down", DOWN_LIMIT)
    ground.desk.client().stop_agent(**ground.who)
    assert ground.tree() == []
