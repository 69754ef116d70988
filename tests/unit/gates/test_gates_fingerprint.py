"""The fingerprint changes with whatever would change what happens."""

from dataclasses import replace
from pathlib import Path

from engine.domain.gates import Choice, Keys, Question
from engine.gates.fingerprint import fingerprint
from engine.gates.sources.command import RealSurroundings


def _question(command: str = "sh ./migrate.sh") -> Question:
    choices = (Choice("Yes", "approve", Keys(("y", "\r"))), Choice("No", "reject", Keys(("n", "\r"))))
    return Question(prompt="Run?", command=command, choices=choices, source="regex", tier="harmful")


def test_rewritten_script_is_another_gate(tmp_path: Path) -> None:
    script = tmp_path / "migrate.sh"
    script.write_text("echo one\n")
    before = fingerprint(_question(), RealSurroundings(str(tmp_path)), "main")
    assert before == fingerprint(_question(), RealSurroundings(str(tmp_path)), "main")
    script.write_text("rm -rf data\n")
    assert fingerprint(_question(), RealSurroundings(str(tmp_path)), "main") != before


def test_branch_cwd_command_and_choices_each_make_another_gate(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    here, there = RealSurroundings(str(tmp_path)), RealSurroundings(str(tmp_path / "sub"))
    question = _question("ls")
    prints = {
        fingerprint(question, here, "main"),
        fingerprint(question, here, "topic"),
        fingerprint(question, there, "main"),
        fingerprint(replace(question, command="ls -l"), here, "main"),
        fingerprint(replace(question, choices=question.choices[:1]), here, "main"),
        fingerprint(replace(question, source="hook"), here, "main"),
    }
    assert len(prints) == 6


def test_moved_marker_is_the_same_gate(tmp_path: Path) -> None:
    here = RealSurroundings(str(tmp_path))
    one, two = (
        replace(_question("ls"), choices=(Choice("No", "reject", Keys(keys)),))
        for keys in (("\x1b[B", "\r"), ("\x1b[B", "\x1b[B", "\r"))
    )
    assert fingerprint(one, here, None) == fingerprint(two, here, None)
