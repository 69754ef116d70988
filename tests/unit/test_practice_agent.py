"""The practice agent in a real terminal: it asks, it obeys, and silence is never a yes."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

GATE = r"Run rm -rf build\? \[y/N\] $"
Start = Callable[[], pexpect.spawn]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[pexpect.spawn] = []

    def spawn() -> pexpect.spawn:
        env = {**os.environ, "CONDUIT_PRACTICE_SPEED": "0", "PYTHONPATH": str(Path(__file__).parents[2])}
        child = pexpect.spawn(
            sys.executable, ["-m", "engine.practice"], cwd=str(tmp_path), env=env, timeout=20, encoding="utf-8"
        )
        running.append(child)
        child.expect("\r\n> $")
        return child

    yield spawn
    for child in running:
        child.close(force=True)


def at_gate(start: Start) -> pexpect.spawn:
    child = start()
    child.sendline("please clean up")
    child.expect(GATE)
    return child


@pytest.mark.parametrize("answer", ["y", "Y", "yes"])
def test_clean_up_approved_deletes_build(start: Start, tmp_path: Path, answer: str) -> None:
    child = at_gate(start)
    assert (tmp_path / "build" / "objects" / "app.o").is_file()
    child.sendline(answer)
    child.expect("build is gone")
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize("answer", ["n", "No", ""])
def test_clean_up_refused_leaves_build_and_asks_what_instead(start: Start, tmp_path: Path, answer: str) -> None:
    child = at_gate(start)
    child.sendline(answer)
    child.expect("left build alone. What should I do instead")
    child.expect("> $")
    assert (tmp_path / "build" / "objects" / "app.o").is_file()


def test_any_other_answer_asks_again(start: Start, tmp_path: Path) -> None:
    child = at_gate(start)
    child.sendline("maybe yes")
    child.expect("Please answer y or n")
    child.expect(GATE)
    assert (tmp_path / "build").is_dir()
    child.sendline("y")
    child.expect("build is gone")


def test_end_of_input_at_the_question_means_no(start: Start, tmp_path: Path) -> None:
    child = at_gate(start)
    child.sendeof()
    child.expect("left build alone")
    assert (tmp_path / "build").is_dir()


def test_interruption_at_the_question_means_no(start: Start, tmp_path: Path) -> None:
    child = at_gate(start)
    child.sendintr()
    child.expect("left build alone")
    assert (tmp_path / "build").is_dir()


def test_loss_of_the_terminal_at_the_question_leaves_build(start: Start, tmp_path: Path) -> None:
    child = at_gate(start)
    child.close(force=True)
    assert (tmp_path / "build").is_dir()


def test_a_build_of_someone_else_is_never_touched(start: Start, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    child = start()
    child.sendline("clean up")
    child.expect("did not make")
    assert (tmp_path / "build").is_dir()


def test_a_link_called_build_is_never_followed(start: Start, tmp_path: Path) -> None:
    child = start()
    (tmp_path / "build").rename(tmp_path / "elsewhere")
    (tmp_path / "build").symlink_to(tmp_path / "elsewhere")
    child.sendline("clean up")
    child.expect("did not make")
    assert (tmp_path / "elsewhere" / "objects").is_dir()


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("run the tests", "All 3 tests passed"),
        ("write notes", "notes.md has one more line"),
        ("help", "asks whether it may run"),
        ("paint the fence", "only pretend\\): paint the fence"),
    ],
)
def test_requests_are_worked_on_and_the_input_line_returns(start: Start, request_text: str, answer: str) -> None:
    child = start()
    child.sendline(request_text)
    child.expect(answer)
    child.expect("> $")


def test_plan_goes_on_only_after_yes(start: Start, tmp_path: Path) -> None:
    child = start()
    child.sendline("make a plan")
    child.expect(r"proceed\? \[y/N\] $")
    child.sendline("n")
    child.expect("did not start")
    assert not (tmp_path / "notes.md").exists()


def test_choice_is_asked_again_until_it_is_one_of_the_two(start: Start) -> None:
    child = start()
    child.sendline("ask me something")
    child.expect("Choose 1 or 2: $")
    child.sendline("3")
    child.expect("Choose 1 or 2: $")
    child.sendline("2")
    child.expect("it will be blue")


def test_exit_ends_with_status_0(start: Start) -> None:
    child = start()
    child.sendline("exit")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
