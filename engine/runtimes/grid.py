"""The cells of a terminal: rows of characters, with the moves that escape sequences ask for. Colours are not kept."""

from functools import lru_cache

from wcwidth import wcwidth

_BLANK = " "
_MAX_STACK = 8  # combining characters kept on one cell


@lru_cache(maxsize=4096)
def width(char: str) -> int:
    """Columns that a character takes: 0, 1 or 2; -1 for what is not printed."""
    return int(wcwidth(char))


class Grid:
    """One screen, cursor and scroll region included. A wide character is its cell and an empty one after it."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.x = self.y = 0  # x == cols: the next character wraps first
        self.top, self.bottom = 0, rows - 1
        self.autowrap = True
        self.insert = False
        self.cells = [[_BLANK] * cols for _ in range(rows)]
        self.wrapped = [0] * rows  # how many columns of a row run on into the next; 0: it ends there
        self._empty = [_BLANK] * cols

    # printing

    def ascii(self, run: str) -> None:
        """Print characters of one column each."""
        at = 0
        while at < len(run):
            if self.x >= self.cols and not self._wrap():
                self.x = self.cols - 1
                at = len(run) - 1
            piece = run[at : at + self.cols - self.x]
            self._put(list(piece))
            at += len(piece)

    def char(self, char: str) -> None:
        """Print any one character."""
        columns = width(char)
        if columns == 0:
            self._combine(char)
        elif 0 < columns <= self.cols:
            if self.x + columns > self.cols and not self._wrap():
                self.x = self.cols - columns
            self._put([char, ""][:columns])

    def _put(self, piece: list[str]) -> None:
        row, start = self.cells[self.y], self.x
        end = start + len(piece)
        if start == 0 or end >= self.cols:
            self.wrapped[self.y] = 0
        if row[start] == "" and start:
            row[start - 1] = _BLANK
        if self.insert:
            row[start:start] = piece
            del row[self.cols :]
        else:
            if end < self.cols and row[end] == "":
                row[end] = _BLANK
            row[start:end] = piece
        self.x = end

    def _combine(self, char: str) -> None:
        at = self.x - 1
        if at >= 0 and self.cells[self.y][at] == "" and at:
            at -= 1
        if at >= 0 and len(self.cells[self.y][at]) < _MAX_STACK:
            self.cells[self.y][at] += char

    def _wrap(self) -> bool:
        if not self.autowrap:
            return False
        self.wrapped[self.y] = min(self.x, self.cols)
        self.x = 0
        self.line_feed(keep=True)
        return True

    # moving

    def move(self, y: int, x: int) -> None:
        """Put the cursor somewhere on the screen."""
        self.y = max(0, min(y, self.rows - 1))
        self.x = max(0, min(x, self.cols - 1))

    def line_feed(self, keep: bool = False) -> None:
        """One row down, scrolling at the bottom of the region."""
        if not keep and self.x >= self.cols:
            self.x = self.cols - 1
        if self.y == self.bottom:
            self.scroll_up(1)
        elif self.y < self.rows - 1:
            self.y += 1

    def reverse_line_feed(self) -> None:
        """One row up, scrolling at the top of the region."""
        if self.y == self.top:
            self.scroll_down(1)
        elif self.y > 0:
            self.y -= 1

    def tab(self, count: int = 1) -> None:
        """To the next column that 8 divides."""
        self.x = min((self.x // 8 + count) * 8, self.cols - 1)

    # scrolling

    def scroll_up(self, count: int, top: int | None = None) -> None:
        """Rows leave at ``top`` (of the region) and blank ones come in at its bottom."""
        self._shift(self.top if top is None else top, count, up=True)

    def scroll_down(self, count: int, top: int | None = None) -> None:
        """Blank rows come in at ``top`` (of the region)."""
        self._shift(self.top if top is None else top, count, up=False)

    def _shift(self, top: int, count: int, up: bool) -> None:
        if not self.top <= top <= self.bottom:
            return
        count = min(count, self.bottom - top + 1)
        leaves, enters = (top, self.bottom) if up else (self.bottom, top)
        for _ in range(count):
            row = self.cells.pop(leaves)
            row[:] = self._empty
            self.cells.insert(enters, row)
            self.wrapped.pop(leaves)
            self.wrapped.insert(enters, 0)

    # erasing

    def erase_line(self, how: int) -> None:
        """0: from the cursor on, 1: up to and with it, 2: all of the row."""
        x = min(self.x, self.cols - 1)
        start, end = {0: (x, self.cols), 1: (0, x + 1)}.get(how, (0, self.cols))
        self.blank(self.y, start, end)

    def erase_screen(self, how: int) -> None:
        """As :meth:`erase_line`, for the screen."""
        if how in (0, 1):
            self.erase_line(how)
        rows = {0: range(self.y + 1, self.rows), 1: range(self.y)}.get(how, range(self.rows))
        for y in rows:
            self.blank(y, 0, self.cols)

    def blank(self, y: int, start: int, end: int) -> None:
        """Blank columns ``start`` to before ``end`` of a row."""
        row = self.cells[y]
        if start and row[start] == "":
            row[start - 1] = _BLANK
        if end < self.cols and row[end] == "":
            row[end] = _BLANK
        row[start:end] = [_BLANK] * (end - start)
        if end >= self.cols:
            self.wrapped[y] = 0

    def insert_blanks(self, count: int) -> None:
        """Push the rest of the row to the right."""
        x, row = min(self.x, self.cols - 1), self.cells[self.y]
        row[x:x] = [_BLANK] * min(count, self.cols - x)
        del row[self.cols :]

    def delete_chars(self, count: int) -> None:
        """Pull the rest of the row to the left."""
        x, row = min(self.x, self.cols - 1), self.cells[self.y]
        del row[x : x + count]
        row.extend([_BLANK] * (self.cols - len(row)))

    def resize(self, rows: int, cols: int) -> None:
        """Change the size; rows go at the top, so that the cursor's row stays. Programs redraw by themselves."""
        surplus = max(0, self.y - rows + 1)
        cells = [(row + [_BLANK] * (cols - len(row)))[:cols] for row in self.cells[surplus : surplus + rows]]
        wrapped = self.wrapped[surplus : surplus + rows]
        self.cells = cells + [[_BLANK] * cols for _ in range(rows - len(cells))]
        # In a wider window a row still runs on into the next; in a narrower one its end is gone, and nothing joins it.
        self.wrapped = ([0] * len(wrapped) if cols < self.cols else wrapped) + [0] * (rows - len(wrapped))
        self.rows, self.cols = rows, cols
        self._empty = [_BLANK] * cols
        self.top, self.bottom = 0, rows - 1
        self.move(self.y - surplus, self.x)
