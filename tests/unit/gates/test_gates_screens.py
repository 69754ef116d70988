"""What the reader sees on labelled screens, recorded and written."""

import pytest

from engine.gates.sources.screen.catalog import line_prompts
from engine.ports.runtime import Screen
from engine.runtimes.screen import Emulator
from scripts.bench import gates_lib as lib

SCREENS = lib.screens()
READER = lib.reader()


@pytest.mark.parametrize(
    ("row", "screen"), [(row, screen) for _, row, screen in SCREENS], ids=[name for name, _, _ in SCREENS]
)
def test_labelled_screen_is_read_exactly(row: dict[str, object], screen: Screen) -> None:
    assert lib.wrong(row, READER.questions(screen, str(row["cli"]), lib.PROJECT)) is None


@pytest.mark.parametrize(
    ("row", "screen"), [(r, s) for _, r, s in SCREENS if r["expect"]], ids=[n for n, r, _ in SCREENS if r["expect"]]
)
def test_approval_never_sends_what_refusal_or_always_sends(row: dict[str, object], screen: Screen) -> None:
    choices = READER.questions(screen, str(row["cli"]), lib.PROJECT)[0].choices
    approving = {choice.reply for choice in choices if choice.kind == "approve"}
    others = {choice.reply for choice in choices if choice.kind != "approve"}
    assert len(approving) <= 1
    assert not approving & others


@pytest.mark.parametrize(
    ("row", "screen"), [(r, s) for _, r, s in SCREENS if r["expect"]], ids=[n for n, r, _ in SCREENS if r["expect"]]
)
def test_no_message_can_be_typed_while_a_question_is_live(row: dict[str, object], screen: Screen) -> None:
    assert READER.input_line(screen, str(row["cli"])) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("idle_claude", ""),
        ("idle_claude_list", "do number 2"),
        ("idle_codex", ""),
        ("idle_gemini", ""),
        ("idle_opencode", ""),
        ("idle_aider", ""),
        ("idle_practice", ""),
        ("idle_practice_text", "delete it? y/n"),
        ("idle_claude_quoted", ""),
    ],
)
def test_input_line_is_found_with_its_text(name: str, text: str) -> None:
    row, screen = next((row, screen) for known, row, screen in SCREENS if known == name)
    line = READER.input_line(screen, row["cli"])
    assert line is not None
    assert line.text == text


@pytest.mark.parametrize("name", ["busy_claude", "busy_codex", "busy_gemini", "shell", "build", "echo_launch"])
def test_no_input_line_while_busy_or_in_a_shell(name: str) -> None:
    row, screen = next((row, screen) for known, row, screen in SCREENS if known == name)
    assert READER.input_line(screen, row["cli"]) is None


def _fed(data: bytes, size: int) -> Screen:
    emulator = Emulator(30, 100)
    for start in range(0, len(data), size):
        emulator.feed(data[start : start + size])
    return emulator.screen()


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_question_is_the_same_however_reads_are_cut(size: int) -> None:
    for name, row, screen in SCREENS:
        if "file" in row:
            data = (lib.DATA / "screens" / row["file"]).read_bytes()
            assert READER.questions(_fed(data, size), row["cli"], lib.PROJECT) == READER.questions(
                screen, row["cli"], lib.PROJECT
            ), name


def test_half_typed_answer_leaves_the_question_as_it_was() -> None:
    plain, typed = (_fed(b"Run rm -rf build? [y/N] " + tail, 64) for tail in (b"", b"y"))
    assert READER.questions(plain, "practice", lib.PROJECT) == READER.questions(typed, "practice", lib.PROJECT)


def test_question_that_was_answered_and_scrolled_up_is_not_live() -> None:
    assert READER.questions(_fed(b"Run x? [y/N] y\r\nworking\r\n", 64), "practice", lib.PROJECT) == ()


def test_prompts_answered_by_words_send_those_words() -> None:
    # YAML reads a bare `yes:` as a truth value; an answer lost that way would be a bare Enter.
    assert all(prompt.accept and prompt.refuse for prompt in line_prompts() if prompt.mode == "words")
