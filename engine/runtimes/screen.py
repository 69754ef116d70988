"""A terminal without a window: bytes in, a :class:`Screen` out. Pure; nothing that is printed can crash or stall it."""

import re
from collections.abc import Callable

from engine.ports.runtime import Screen
from engine.runtimes.escapes import Csi, Splitter
from engine.runtimes.grid import Grid

_TITLE_LIMIT = 1000
_REPEAT_LIMIT = 10_000
_GRAPHICS = str.maketrans("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_KNOWN_MODES = frozenset({6, 7, 25, 47, 1047, 1049, 2004, 2026})
# Lines of plain text, colours included: whatever came before the last screenful of these is scrolled away.
_PLAIN = re.compile(rb"(?:[\t\n\r\x20-\x7e\xa0-\xff]++|\x1b\[[0-9;]*m)*+")


class Emulator:
    """One terminal. ``responses`` are what programs wait for after a query; the caller types them."""

    def __init__(self, rows: int, cols: int) -> None:
        self._splitter = Splitter(self)
        self._responses: list[bytes] = []
        self._cached: Screen | None = None
        self.offset = 0
        self._power_on(rows, cols)

    def _power_on(self, rows: int, cols: int) -> None:
        self._main = Grid(rows, cols)
        self._other = Grid(rows, cols)
        self._title = ""
        self._modes: set[int] = {7, 25}
        self._alternate = False
        self._saved: tuple[int, int] = (0, 0)
        self._graphics = [False, False]
        self._shift = 0
        self._last = ""

    @property
    def synchronized(self) -> bool:
        """Whether the program said that it is in the middle of drawing (mode 2026)."""
        return 2026 in self._modes

    def feed(self, data: bytes) -> None:
        """Take output."""
        self._cached = None
        self.offset += len(data)
        self._splitter.feed(data)

    def skippable(self, data: bytes) -> int:
        """How many leading bytes of a backlog change nothing on the screen that it ends in.

        Only whole lines of plain text are skipped, and only where a screenful of lines follows: by then they have
        scrolled away, whatever they were. Anything with cursor moves, modes or titles in it is fed.
        """
        grid = self._main
        if not self._splitter.idle or not grid.autowrap or grid.insert or (grid.top, grid.bottom) != (0, grid.rows - 1):
            return 0
        match = _PLAIN.match(data)
        plain = match.end() if match else 0
        at = plain
        for _ in range(grid.rows + 2):
            at = data.rfind(b"\r\n", 0, at)
            if at < 0:
                return 0
        return at + 2

    def skip(self, count: int) -> None:
        """Pass over bytes that :meth:`skippable` named; the cursor is at the start of a row after them."""
        self.offset += count
        self._main.x = 0
        self._cached = None

    def responses(self) -> bytes:
        """Answers to queries since the last call."""
        answers, self._responses = b"".join(self._responses), []
        return answers

    def resize(self, rows: int, cols: int) -> None:
        """Change the size."""
        self._main.resize(rows, cols)
        self._other.resize(rows, cols)
        self._cached = None

    def reset(self) -> None:
        """Forget everything but the offset: output is missing, and the program will be asked to redraw."""
        self._splitter = Splitter(self)
        self._responses = []
        self._start_again()

    def screen(self) -> Screen:
        """The screen now."""
        if self._cached is None:
            grid = self._main
            self._cached = Screen(
                lines=tuple(_line(row, runs_on) for row, runs_on in zip(grid.cells, grid.wrapped, strict=True)),
                cursor_row=grid.y,
                cursor_col=min(grid.x, grid.cols - 1),
                cursor_visible=25 in self._modes,
                title=self._title,
                alternate=self._alternate,
                bracketed_paste=2004 in self._modes,
                columns=grid.cols,
                wrapped=frozenset(y for y, wrapped in enumerate(grid.wrapped) if wrapped),
                offset=self.offset,
            )
        return self._cached

    # pieces of output (escapes.Sink)

    def text(self, run: str) -> None:
        """Print."""
        if self._graphics[self._shift]:
            run = run.translate(_GRAPHICS)
        self._last = run[-1]
        if run.isascii():
            self._main.ascii(run)
            return
        for char in run:
            self._main.char(char)

    def control(self, char: str) -> None:
        """BS, HT, LF, VT, FF, CR, SO, SI; the others do nothing."""
        grid = self._main
        if char == "\n" or char in "\x0b\x0c":
            grid.line_feed()
        elif char == "\r":
            grid.x = 0
        elif char == "\b":
            grid.x = max(0, min(grid.x, grid.cols - 1) - 1)
        elif char == "\t":
            grid.tab()
        elif char in "\x0e\x0f":
            self._shift = int(char == "\x0e")

    def escape(self, intermediates: str, final: str) -> None:
        """Two-character sequences and character sets."""
        if intermediates in ("(", ")"):
            self._graphics[intermediates == ")"] = final == "0"
        elif not intermediates and final in _ESCAPES:
            _ESCAPES[final](self)

    def csi(self, sequence: Csi) -> None:
        """Control sequences; the unknown ones do nothing."""
        if sequence.intermediates:
            if sequence.intermediates == "$" and sequence.final == "p" and sequence.private == "?":
                self._tell_mode(sequence.number(0, 0))
        elif sequence.private:
            self._private(sequence)
        elif sequence.final in _MOVES:
            _MOVES[sequence.final](self, sequence)

    def string(self, kind: str, body: str) -> None:
        """Titles, and the questions for colours that some programs wait on."""
        if kind != "]":
            return
        number, _, rest = body.partition(";")
        if number in ("0", "2"):
            self._title = "".join(char for char in rest if char.isprintable())[:_TITLE_LIMIT]
        elif number in ("10", "11") and rest == "?":
            colour = "ffff/ffff/ffff" if number == "10" else "0000/0000/0000"
            self._respond(f"\x1b]{number};rgb:{colour}\x1b\\")

    # what sequences do

    def _respond(self, text: str) -> None:
        if len(self._responses) < 64:
            self._responses.append(text.encode())

    def _private(self, sequence: Csi) -> None:
        if sequence.private == "?" and sequence.final in "hl":
            for mode in sequence.numbers:
                self._set_mode(mode or 0, sequence.final == "h")
        elif sequence.private == "?" and sequence.final == "n" and sequence.number(0, 0) == 6:
            self._tell_cursor("?")
        elif sequence.private == "?" and sequence.final in "JK":
            self._erase(sequence)
        elif sequence.private == ">" and sequence.final == "c":
            self._respond("\x1b[>1;10;0c")

    def _set_mode(self, mode: int, on: bool) -> None:
        if mode in (47, 1047, 1049):
            self._switch(on, mode)
        elif mode == 1048:
            self._save() if on else self._restore()
        elif mode in _KNOWN_MODES:
            (self._modes.add if on else self._modes.discard)(mode)
        if mode == 7:
            self._main.autowrap = self._other.autowrap = on
        elif mode == 6:
            self._go(0, 0)

    def _switch(self, on: bool, mode: int) -> None:
        if on == self._alternate:
            return
        if on and mode == 1049:
            self._save()
        previous = self._main
        self._main, self._other, self._alternate = self._other, self._main, on
        self._main.y, self._main.x = previous.y, previous.x
        if on:
            self._main.erase_screen(2)
        elif mode == 1049:
            self._restore()

    def _tell_mode(self, mode: int) -> None:
        on = self._alternate if mode in (47, 1047, 1049) else mode in self._modes
        value = (1 if on else 2) if mode in _KNOWN_MODES else 0
        self._respond(f"\x1b[?{mode};{value}$y")

    def _tell_cursor(self, private: str = "") -> None:
        grid = self._main
        self._respond(f"\x1b[{private}{grid.y + 1};{min(grid.x, grid.cols - 1) + 1}R")

    def _save(self) -> None:
        self._saved = (self._main.y, self._main.x)

    def _restore(self) -> None:
        self._main.move(*self._saved)

    def _go(self, y: int, x: int) -> None:
        grid = self._main
        if 6 in self._modes:
            y = min(y + grid.top, grid.bottom)
        grid.move(y, x)

    def _region(self, sequence: Csi) -> None:
        grid = self._main
        top, bottom = sequence.number(0, 1) - 1, min(sequence.number(1, grid.rows), grid.rows) - 1
        if top < bottom:
            grid.top, grid.bottom = top, bottom
            self._go(0, 0)

    def _vertical(self, by: int) -> None:
        grid = self._main
        inside = grid.top <= grid.y <= grid.bottom
        low, high = (grid.top, grid.bottom) if inside else (0, grid.rows - 1)
        grid.move(max(low, min(grid.y + by, high)), grid.x)

    def _erase(self, sequence: Csi) -> None:
        how = sequence.number(0, 0)
        if sequence.final == "K":
            self._main.erase_line(how)
        elif how != 3:
            self._main.erase_screen(how)

    def _repeat(self, sequence: Csi) -> None:
        if self._last:
            self.text(self._last * min(sequence.number(0, 1), _REPEAT_LIMIT))

    def _report(self, sequence: Csi) -> None:
        if sequence.number(0, 0) == 5:
            self._respond("\x1b[0n")
        elif sequence.number(0, 0) == 6:
            self._tell_cursor()

    def _mode(self, sequence: Csi) -> None:
        if 4 in sequence.numbers:
            self._main.insert = sequence.final == "h"

    def _start_again(self) -> None:
        self._power_on(self._main.rows, self._main.cols)
        self._cached = None


def _line(row: list[str], runs_on: int) -> str:
    """A row as text; blanks at its end are text where it runs on into the next."""
    return "".join(row[:runs_on]) + "".join(row[runs_on:]).rstrip()


def _next_line(emulator: Emulator) -> None:
    emulator._main.line_feed()
    emulator._main.x = 0


_ESCAPES: dict[str, Callable[[Emulator], None]] = {
    "7": Emulator._save,
    "8": Emulator._restore,
    "D": lambda e: e._main.line_feed(),
    "E": _next_line,
    "M": lambda e: e._main.reverse_line_feed(),
    "c": Emulator._start_again,
}


def _at(emulator: Emulator) -> int:
    return min(emulator._main.x, emulator._main.cols - 1)


def _lines(emulator: Emulator, sequence: Csi) -> None:
    grid = emulator._main
    (grid.scroll_down if sequence.final == "L" else grid.scroll_up)(sequence.number(0, 1), grid.y)
    if grid.top <= grid.y <= grid.bottom:
        grid.x = 0


def _start_of(emulator: Emulator, by: int) -> None:
    emulator._vertical(by)
    emulator._main.x = 0


_MOVES: dict[str, Callable[[Emulator, Csi], None]] = {
    "@": lambda e, s: e._main.insert_blanks(s.number(0, 1)),
    "A": lambda e, s: e._vertical(-s.number(0, 1)),
    "B": lambda e, s: e._vertical(s.number(0, 1)),
    "C": lambda e, s: e._main.move(e._main.y, _at(e) + s.number(0, 1)),
    "D": lambda e, s: e._main.move(e._main.y, _at(e) - s.number(0, 1)),
    "E": lambda e, s: _start_of(e, s.number(0, 1)),
    "F": lambda e, s: _start_of(e, -s.number(0, 1)),
    "G": lambda e, s: e._main.move(e._main.y, s.number(0, 1) - 1),
    "H": lambda e, s: e._go(s.number(0, 1) - 1, s.number(1, 1) - 1),
    "I": lambda e, s: e._main.tab(s.number(0, 1)),
    "J": Emulator._erase,
    "K": Emulator._erase,
    "L": _lines,
    "M": _lines,
    "P": lambda e, s: e._main.delete_chars(s.number(0, 1)),
    "S": lambda e, s: e._main.scroll_up(s.number(0, 1)),
    "T": lambda e, s: e._main.scroll_down(s.number(0, 1)),
    "X": lambda e, s: e._main.blank(e._main.y, _at(e), min(_at(e) + s.number(0, 1), e._main.cols)),
    "Z": lambda e, s: e._main.move(e._main.y, max(0, (_at(e) - 1) // 8 - s.number(0, 1) + 1) * 8),
    "`": lambda e, s: e._main.move(e._main.y, s.number(0, 1) - 1),
    "a": lambda e, s: e._main.move(e._main.y, _at(e) + s.number(0, 1)),
    "b": Emulator._repeat,
    "c": lambda e, s: e._respond("\x1b[?62;22c"),
    "d": lambda e, s: e._go(s.number(0, 1) - 1, _at(e)),
    "e": lambda e, s: e._vertical(s.number(0, 1)),
    "f": lambda e, s: e._go(s.number(0, 1) - 1, s.number(1, 1) - 1),
    "h": Emulator._mode,
    "l": Emulator._mode,
    "n": Emulator._report,
    "r": Emulator._region,
    "s": lambda e, s: e._save(),
    "u": lambda e, s: e._restore(),
}
