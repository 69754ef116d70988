"""Codex, the real program, through the engine."""

import json
from pathlib import Path

import pytest
from agents.ground import Ground
from agents.proof import StructuredProof
from support.desk import until

pytestmark = [pytest.mark.agents, pytest.mark.system]


class TestCodex(StructuredProof):
    cli = "codex"
    edit_flags = ("--sandbox", "read-only")
    store = (".codex/sessions", ".codex/state_5.sqlite*")

    def test_answer_that_arrived_before_a_crash_is_not_asked_for_again(self, ground: Ground) -> None:
        """The engine ends after the answer was written and before that is in its journal."""
        ground.start()
        ground.tell("SHELL{rm -rf build; sleep 20} SAY{all is tidy}")
        gate = ground.gate()
        kept = self.project_file(ground).read_text()
        ground.decide(gate, "approve")
        until(lambda: not ground.build.exists(), "the folder to go")
        ground.desk.kill()
        self.project_file(ground).write_text(kept)
        self.forget_delivery(ground)
        ground.desk.start()
        view = ground.view()
        assert view["pendingGate"] is None
        assert not view["frozen"]
        ground.said("all is tidy")
        lines = ground.desk.client().audit(project_id=ground.agent["projectId"])
        assert [line["decision"] for line in lines] == ["approve"]

    def project_file(self, ground: Ground) -> Path:
        return next(path for path in ground.base.glob("conduit/**/project.json"))

    def forget_delivery(self, ground: Ground) -> None:
        """Cut the journal, and the audit, off behind the answer."""
        journals = [path for path in ground.base.glob("conduit/**/*.jsonl") if "gate_answered" in path.read_text()]
        assert len(journals) == 1
        lines = journals[0].read_text().splitlines(keepends=True)
        answered = next(number for number, line in enumerate(lines) if json.loads(line)["type"] == "gate_answered")
        journals[0].write_text("".join(lines[: answered + 1]))
        for audit in ground.base.glob("conduit/**/audit*.jsonl"):
            audit.unlink()
