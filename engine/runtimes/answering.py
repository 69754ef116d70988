"""Answers a question by keys: looks again first, presses one key at a time, looks whether the question has gone."""

from engine.domain.errors import Conflict
from engine.domain.gates import Keys, Question
from engine.ports.runtime import Answered
from engine.runtimes.desk import Desk

_LOOKS = 6  # settled screens after the last key before the question counts as still there
_NAMES = {
    "\r": "Enter",
    "\n": "Enter",
    "\x1b": "Escape",
    "\t": "Tab",
    "\x03": "Ctrl-C",
    "\x04": "Ctrl-D",
    "\x15": "Ctrl-U",
    "\x7f": "Backspace",
    "\x1b[A": "Up",
    "\x1b[B": "Down",
    "\x1b[C": "Right",
    "\x1b[D": "Left",
}


def name_keys(writes: tuple[str, ...]) -> str:
    """Keys for a person: ``y, Enter``."""
    return ", ".join(_NAMES.get(write) or _spell(write) for write in writes)


def same(one: Question, other: Question) -> bool:
    """Whether two questions are one: prompt, command and every choice with what it sends."""
    return (one.prompt, one.command, one.choices) == (other.prompt, other.command, other.choices)


async def look_again(desk: Desk, question: Question) -> None:
    """Conflict unless the first live question on the settled screen is this one."""
    await desk.look()
    live = desk.questions()
    if not live or not same(live[0], question):
        raise Conflict(
            "The question on the agent's screen is not the one that was answered, so nothing was typed. Read it again.",
            {"found": live[0].prompt if live else ""},
        )


async def press(desk: Desk, keys: Keys, question: Question) -> Answered:
    """Press the keys; stops before a key that would reach anything but this question."""
    written: list[str] = []
    for write in keys.writes:
        if written and not _still_asks(desk, question):
            break
        try:
            await desk.press(write)
        except Conflict:  # frozen meanwhile by another gate: the rest is not for it
            break
        written.append(write)
    gone = await _vanishes(desk, question) if written else False
    return Answered(_describe(tuple(written), question), gone)


def _describe(written: tuple[str, ...], question: Question) -> str:
    if not written:
        return "typed nothing"
    return f"typed {name_keys(written)}" if question.speakable else "typed hidden text"


def _still_asks(desk: Desk, question: Question) -> bool:
    """Between two keys: the question is live (its marker may have moved), or its last line takes what is typed."""
    live = desk.questions()
    if live:
        return any(_alike(other, question) for other in live)
    screen = desk.screen()
    asked = [line.strip() for line in question.prompt.splitlines() if line.strip()]
    row = screen.cursor_row
    around = "".join(screen.lines[max(0, row - 1) : row + 1])
    return bool(asked) and asked[-1] in around


async def _vanishes(desk: Desk, question: Question) -> bool:
    for _ in range(_LOOKS):
        if not any(_alike(other, question) for other in desk.questions()):
            return True
        if not await desk.look():
            break
    return not any(_alike(other, question) for other in desk.questions())


def _alike(one: Question, other: Question) -> bool:
    labels = [[choice.label for choice in question.choices] for question in (one, other)]
    return one.command == other.command and (one.prompt == other.prompt or labels[0] == labels[1] != [])


def _spell(write: str) -> str:
    return "".join(char if char.isprintable() else _NAMES.get(char, f"\\x{ord(char):02x}") for char in write)
