"""What every agent without a terminal has to show, run with the real program through the engine's HTTP API alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from agents.ground import Ground
from agents.install import binary
from support.desk import until

from engine.domain.errors import BadRequest, Conflict

LONG = "\n".join(f"Line {n}: \"quotes\", 'single', 🦊 émoji, `ticks` and $HOME\tand a tab." for n in range(80))[:5000]
WHOLE = 5000
DOWN_LIMIT = 15.0  # seconds within which an unreachable model has to be told


def killed_at(ground: Ground, gate: dict[str, Any]) -> None:
    """Kill the agent while its gate is open: the gate closes with a reason, and what it was about stays undone."""
    for process in ground.tree():
        process.kill()
    stopped = until(lambda: ground.view() if ground.view()["status"] == "stopped" else None, "the end")
    assert stopped["pendingGate"] is None
    assert stopped["exit"]
    with pytest.raises(Conflict, match=gate["id"]):
        ground.decide(gate, "approve")
    assert (ground.build / "old.o").exists()


class StructuredProof:
    """Subclasses name the CLI and what differs between them."""

    cli: str
    flags: tuple[str, ...] = ()
    edit_flags: tuple[str, ...] = ()  # so that an edit is asked for
    store: tuple[str, ...] = ()  # where below HOME the CLI keeps its conversations

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        if binary(self.cli) is None:
            pytest.skip(f"{self.cli} is not installed; run: python tests/agents/install.py {self.cli}")

    @pytest.fixture
    def ground(self) -> Iterator[Ground]:
        with Ground(self.cli, flags=self.flags) as ground:
            yield ground

    # turns

    def test_turn_is_heard_and_its_states_are_told(self, ground: Ground) -> None:
        ground.start()
        with ground.watching() as seen:
            ground.tell("SAY{hello from the model}")
            ground.said("hello from the model")
            ground.ready()
            until(lambda: seen.statuses()[-1:] == ["awaiting_input"], "the last status on the stream")
        assert "running" in seen.statuses()

    def test_long_message_arrives_whole_and_once(self, ground: Ground) -> None:
        assert len(LONG) == WHOLE
        ground.start()
        ground.tell(LONG)
        ground.turns(1)
        ground.ready()
        arrived = [turn for turn in ground.model.turns() if LONG in turn.request.history]
        assert len(arrived) == 1

    def test_message_to_a_busy_agent_waits_for_the_turns_end(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SLOW{3} SAY{first is done}")
        ground.turns(1)
        assert ground.tell("SAY{second is done}")["state"] == "queued"
        ground.said("second is done")
        first, second = ground.turns(2)
        assert first.finished, "the first turn was cut off by the second message"
        assert "first is done" in second.request.history

    def test_interrupt_ends_the_turn_and_not_the_agent(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SLOW{60}")
        ground.said("word3")
        ground.desk.client().interrupt_agent(**ground.who)
        ground.ready()
        until(lambda: ground.turns(1)[0].dropped, "the model's connection to be dropped")
        ground.tell("SAY{still here}")
        ground.said("still here")

    def test_error_of_the_model_is_said(self, ground: Ground) -> None:
        ground.start()
        ground.tell("ERR{400}")
        ground.chat(lambda text: "scripted error" in text, "the model's error in the chat")
        ground.ready()

    def test_model_that_is_down_is_said_in_time(self, ground: Ground) -> None:
        ground.start()
        ground.model.down()
        ground.tell("SAY{nobody hears this}")
        ground.chat(lambda text: "model" in text, "word that the model is down", DOWN_LIMIT)

    # gates

    def test_gate_freezes_everything_and_approval_runs_the_command_once(self, ground: Ground) -> None:
        ticks, runs = ground.project / "ticks", ground.project / "runs"
        loop = f"(while :; do echo t >> {ticks}; sleep 0.05; done) > /dev/null 2>&1 &"
        ground.start()
        ground.tell(f"SHELL{{{loop}}} SHELL{{rm -rf build; echo once >> {runs}}}")
        gate = self.gate_about(ground, "rm -rf build")
        assert gate["tier"] == "harmful"
        self.assert_still(ground, ticks)
        assert ground.build.is_dir()
        done = ground.decide(gate, "approve")
        assert done["decision"] == "approve"
        until(lambda: not ground.build.exists(), "the folder to go")
        until(runs.exists, "the mark of the run")
        ground.said("All done.")
        assert runs.read_text() == "once\n"
        with pytest.raises(Conflict):
            ground.decide(gate, "reject")

    def test_rejection_keeps_the_folder_and_the_agent_is_told(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        ground.decide(ground.gate(), "reject")
        ground.ready()
        assert (ground.build / "old.o").exists()

        def told(turns: list[Any]) -> bool:
            return any("rejected. Stop here" in turn.request.history for turn in turns)

        ground.model.wait(told, "the agent to pass on that it was rejected")
        assert (ground.build / "old.o").exists()

    def test_own_answer_refuses_and_reaches_the_model(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        ground.decide(ground.gate(), "custom", custom_input="use make clean, please")
        ground.model.wait(
            lambda turns: any("use make clean, please" in turn.request.history for turn in turns), "the user's words"
        )
        ground.ready()
        assert (ground.build / "old.o").exists()

    def test_message_at_a_gate_is_refused(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        gate = ground.gate()
        with pytest.raises(BadRequest, match="waits at gate"):
            ground.tell("go on")
        assert ground.view()["pendingGate"]["id"] == gate["id"]
        assert len(ground.model.turns()) == 1

    def test_edit_is_asked_for_with_its_diff(self) -> None:
        with Ground(self.cli, flags=(*self.flags, *self.edit_flags)) as ground:
            notes = ground.project / "notes.txt"
            ground.start()
            ground.tell(f"WRITE{{{notes}}}")
            gate = ground.gate()
            assert "notes.txt" in gate["prompt"]
            assert "hello from the scripted model" in gate["prompt"]
            assert not notes.exists()
            ground.decide(gate, "approve")
            until(notes.exists, "the file to be written")
            ground.said("All done.")
            assert notes.read_text() == "hello from the scripted model\n"

    def test_killed_agent_at_a_gate_closes_the_gate_with_a_reason(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        gate = ground.gate()
        killed_at(ground, gate)

    # lives

    def test_stopped_agent_leaves_no_process(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{sleep 300}")
        self.approve_until_tool_runs(ground, "sleep")
        processes = ground.tree()
        assert "sleep" in ground.commands()
        ground.desk.client().stop_agent(**ground.who)
        assert [process for process in processes if process.is_running()] == []
        assert ground.tree() == []

    def test_resume_goes_on_with_the_conversation(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SAY{the word is marmalade}")
        ground.turns(1, "marmalade")  # the screen alone may show it as typed, before the turn has begun
        ground.said("marmalade")
        until(lambda: ground.turns(1)[0].finished, "the turn to end")
        ground.ready()
        ground.desk.client().stop_agent(**ground.who)
        ground.resume()
        ground.ready()
        ground.tell("what was the word?")
        ground.turns(1, "what was the word?")
        assert "the word is marmalade" in ground.model.turns("what was the word?")[0].request.history

    def test_resume_of_a_missing_conversation_says_so_and_then_begins_afresh(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SAY{soon forgotten}")
        ground.said("soon forgotten")
        ground.ready()
        ground.desk.client().stop_agent(**ground.who)
        ground.forget(*self.store)
        with pytest.raises(BadRequest, match="conversation_missing"):
            ground.resume()
        assert ground.view()["exit"].startswith("conversation_missing")
        assert ground.tree() == []
        ground.resume()
        ground.ready()
        ground.tell("SAY{a fresh start}")
        ground.said("a fresh start")

    def test_killed_engine_finds_the_gate_again_and_answers_it(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SHELL{rm -rf build}")
        gate = ground.gate()
        ground.desk.kill()
        assert {process.status() for process in ground.tree()} == {psutil.STATUS_STOPPED}
        ground.desk.start()
        again = ground.gate()
        assert again["id"] == gate["id"]
        assert ground.view()["queuedGates"] == 0
        ground.decide(again, "approve")
        until(lambda: not ground.build.exists(), "the folder to go")
        ground.ready()
        ground.tell("SAY{after all that}")
        ground.said("after all that")

    def test_killed_engine_finds_a_working_agent_and_its_turns_end(self, ground: Ground) -> None:
        ground.start()
        ground.tell("SAY{long ago}")
        ground.said("long ago")
        ground.ready()
        ground.tell("SLOW{8} SAY{done at last}")
        ground.turns(1, "SLOW")
        ground.desk.kill()
        ground.desk.start()
        assert ground.view()["status"] == "running"
        assert ground.tell("SAY{and this too}")["state"] == "queued"
        ground.said("done at last")
        ground.said("and this too")
        assert ground.transcript().count("long ago\n") == 1
        assert len(ground.model.turns("SLOW")) == 1

    # helpers

    def gate_about(self, ground: Ground, text: str) -> dict[str, Any]:
        """The gate of a command; those of other commands before it are approved."""
        while True:
            gate = ground.gate()
            if text in (gate["command"] or gate["prompt"]):
                return gate
            ground.decide(gate, "approve")

    def approve_until_tool_runs(self, ground: Ground, name: str) -> None:
        """Approve what is asked until a process of that name runs in the agent's tree."""

        def look() -> bool:
            if name in ground.commands():
                return True
            gate = ground.view()["pendingGate"]
            if gate is not None:
                ground.decide(gate, "approve")
            return False

        until(look, f"{name} to run", 60.0)

    def assert_still(self, ground: Ground, ticks: Path) -> None:
        """Nothing of the tree runs, and its background loop adds nothing."""
        assert ground.view()["frozen"]
        assert ground.running() == []
        before = ticks.stat().st_size if ticks.exists() else 0
        time.sleep(0.5)  # ten turns of the loop: that nothing happens takes time to see
        assert (ticks.stat().st_size if ticks.exists() else 0) == before
