"""Types a message: only into an input line that is seen; text and Enter apart; Enter only while the text is there."""

import re

from engine.domain.errors import Conflict
from engine.ports.runtime import InputLine, Told
from engine.runtimes.desk import Desk

_ENTER = "\r"
_KILL_LINE = "\x15"
_PASTE = "\x1b[200~{}\x1b[201~"
_ENTERS = 3  # the first and two more
_TAIL = 24  # characters of the message that have to be seen
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FRAME = re.compile(r"[\s\u2500-\u257f]")
_COLLAPSED = "[Pasted"  # some agents show a long paste so


def clean(text: str) -> str:
    """The message without what would act as a key; tab and newline stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")


def as_typed(message: str, bracketed: bool) -> str:
    """What is written: a bracketed paste where the program takes one, else one line (several are joined by spaces)."""
    return _PASTE.format(message) if bracketed else " ".join(message.split())


async def tell(desk: Desk, text: str) -> Told:
    """Deliver one message whole and once, or leave the line as it was and answer ``not_ready``."""
    message = clean(text)
    try:
        return await _deliver(desk, message) if message.strip() else "not_ready"
    except Conflict:  # frozen meanwhile: a gate opened, and nothing more is typed
        return "not_ready"


async def _deliver(desk: Desk, message: str) -> Told:
    if not await desk.look() or not await _clear_line(desk):
        return "not_ready"
    await desk.press(as_typed(message, desk.screen().bracketed_paste))
    if not _arrived(desk, message):
        await _take_back(desk, message)
        return "not_ready"
    for _ in range(_ENTERS):
        await desk.press(_ENTER)
        line = desk.input_line()
        if line is None or not _shows(desk, line, message):
            return "delivered"
    await _take_back(desk, message)
    return "not_ready"


async def _clear_line(desk: Desk) -> bool:
    """False without an input line. What stands in it (a draft, an interrupted prompt) would be sent along: cleared."""
    line = desk.input_line()
    if line is not None and line.text.strip():
        await desk.press(_KILL_LINE)
        line = desk.input_line()
    return line is not None


def _arrived(desk: Desk, message: str) -> bool:
    line = desk.input_line()
    if line is None:
        return False
    return _shows(desk, line, message) or (not line.text.strip() and _fills_row_above(desk, line, message))


def _fills_row_above(desk: Desk, line: InputLine, message: str) -> bool:
    """A message that fills its row to the last column leaves the cursor on an empty one."""
    above = _squeeze(desk.screen().lines[line.row - 1]) if line.row > 0 else ""
    return bool(above) and above.endswith(_squeeze(message)[-_TAIL:])


def _shows(desk: Desk, line: InputLine, message: str) -> bool:
    """Whether the input line ends the message: in its own row, or in the rows of the box below it."""
    own, whole = _squeeze(line.text), _squeeze(message)
    box = own + _squeeze("".join(desk.screen().lines[line.row + 1 :]))
    return bool(own) and (whole.endswith(own) or whole[-_TAIL:] in box or _COLLAPSED in line.text)


def _squeeze(text: str) -> str:
    return _FRAME.sub("", text)


async def _take_back(desk: Desk, message: str) -> None:
    """Leave no half message in the line, unless a question has opened: that gets no key at all."""
    for _ in range(min(message.count("\n") + 1, 50)):
        if desk.questions():
            return
        await desk.press(_KILL_LINE)
