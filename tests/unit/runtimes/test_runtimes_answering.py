"""Keys reach the question that they answer, and nothing else."""

from collections.abc import Callable

import pytest

from engine.domain.errors import Conflict
from engine.domain.gates import Choice, Keys, Question
from engine.ports.clock import FakeClock
from engine.ports.runtime import InputLine, Screen
from engine.runtimes import answering, telling
from engine.runtimes.desk import Desk

YES = Choice("Yes", "approve", Keys(("y", "\r")))


def question(prompt: str = "Run it? (y/n)", command: str | None = "rm -rf build", speakable: bool = True) -> Question:
    return Question(prompt=prompt, command=command, choices=(YES,), source="regex", tier="harmful", speakable=speakable)


class Terminal:
    """A terminal whose program is ``react``: it gets every write and may change question, line and screen."""

    def __init__(self, react: Callable[["Terminal", str], None], live: Question | None = None) -> None:
        self.react = react
        self.live = live
        self.line: str | None = None
        self.frozen = False
        self.typed: list[str] = []

    def desk(self) -> Desk:
        return Desk("test", "/", self, FakeClock(), self.screen, self.settled, self.type)

    def questions(self, screen: Screen, cli: str, cwd: str) -> tuple[Question, ...]:
        return (self.live,) if self.live else ()

    def input_line(self, screen: Screen, cli: str) -> InputLine | None:
        return None if self.line is None else InputLine(0, self.line)

    def screen(self) -> Screen:
        shown = self.line if self.line is not None else (self.live.prompt if self.live else "")
        return Screen((shown, ""), 0, 0, True, "", False, False, 80)

    async def settled(self, _limit: float) -> bool:
        return True

    async def type(self, data: bytes) -> None:
        if self.frozen:
            raise Conflict("frozen")
        self.typed.append(data.decode())
        self.react(self, data.decode())


async def test_enter_follows_while_the_question_waits_for_it() -> None:
    def react(terminal: Terminal, key: str) -> None:
        terminal.live = None if key == "\r" else terminal.live

    terminal = Terminal(react, question())
    done = await answering.press(terminal.desk(), Keys(("y", "\r")), question())
    assert (done.action, done.gone, terminal.typed) == ("typed y, Enter", True, ["y", "\r"])


async def test_enter_is_kept_back_when_the_first_key_was_enough() -> None:
    def react(terminal: Terminal, _key: str) -> None:
        terminal.live, terminal.line = None, "> "

    terminal = Terminal(react, question())
    done = await answering.press(terminal.desk(), Keys(("y", "\r")), question())
    assert (done.action, done.gone, terminal.typed) == ("typed y", True, ["y"])


async def test_rest_is_kept_back_when_another_question_opens() -> None:
    def react(terminal: Terminal, _key: str) -> None:
        terminal.live = question("Delete everything? (y/n)", "rm -rf /")

    terminal = Terminal(react, question())
    done = await answering.press(terminal.desk(), Keys(("y", "\r")), question())
    assert (done.action, terminal.typed) == ("typed y", ["y"])


async def test_rest_is_kept_back_when_a_gate_freezes_the_agent() -> None:
    def react(terminal: Terminal, _key: str) -> None:
        terminal.frozen = True

    terminal = Terminal(react, question())
    done = await answering.press(terminal.desk(), Keys(("y", "\r")), question())
    assert (done.action, done.gone) == ("typed y", False)


async def test_question_that_stays_is_told() -> None:
    terminal = Terminal(lambda _terminal, _key: None, question())
    done = await answering.press(terminal.desk(), Keys(("\x1b[B", "\r")), question())
    assert (done.action, done.gone) == ("typed Down, Enter", False)


async def test_secret_answer_is_never_named() -> None:
    def react(terminal: Terminal, key: str) -> None:
        terminal.live = None if key == "\r" else terminal.live

    asked = question("Password:", None, speakable=False)
    done = await answering.press(Terminal(react, asked).desk(), Keys(("hunter2", "\r")), asked)
    assert done.action == "typed hidden text"


@pytest.mark.parametrize(
    "found",
    [
        None,
        question("Run that? (y/n)"),
        question(command="rm -rf /"),
        Question(prompt="Run it? (y/n)", command="rm -rf build", choices=(), source="regex", tier="harmful"),
    ],
)
async def test_any_other_question_is_a_conflict(found: Question | None) -> None:
    terminal = Terminal(lambda _terminal, _key: None, found)
    with pytest.raises(Conflict):
        await answering.look_again(terminal.desk(), question())
    assert terminal.typed == []


async def test_question_that_opens_behind_the_text_gets_no_enter() -> None:
    def react(terminal: Terminal, key: str) -> None:
        if key == "hello":
            terminal.live = question()

    terminal = Terminal(react)
    terminal.line = ""
    assert await telling.tell(terminal.desk(), "hello") == "not_ready"
    assert terminal.typed == ["hello"]


async def test_text_that_does_not_show_is_not_submitted() -> None:
    terminal = Terminal(lambda _terminal, _key: None)
    terminal.line = ""
    assert await telling.tell(terminal.desk(), "hello") == "not_ready"
    assert "\r" not in terminal.typed


async def test_draft_in_the_line_is_not_sent_along() -> None:
    def react(terminal: Terminal, key: str) -> None:
        terminal.line = "" if key in ("\x15", "\r") else (terminal.line or "") + key

    terminal = Terminal(react)
    terminal.line = "half a draft"
    assert await telling.tell(terminal.desk(), "hello") == "delivered"
    assert terminal.typed == ["\x15", "hello", "\r"]


async def test_message_without_words_is_not_sent() -> None:
    terminal = Terminal(lambda _terminal, _key: None)
    terminal.line = ""
    assert await telling.tell(terminal.desk(), "\x1b\n \x07") == "not_ready"
    assert terminal.typed == []


def test_message_keeps_tab_and_newline_and_loses_what_acts() -> None:
    assert telling.clean("note\x1b[201~\r1\r") == "note[201~\n1"
    assert telling.clean("a\x9b201~b") == "a201~b"
    assert telling.clean("tab\tand\r\nnewline stay") == "tab\tand\nnewline stay"
    assert telling.as_typed("a\tb\nc", bracketed=False) == "a b c"
