"""What an agent without a terminal has said and done, as the text of a screen."""

import textwrap

from engine.ports.runtime import Screen

_KEPT = 400  # lines


class Scroll:
    """The latest lines; a piece that is still being said stands last."""

    def __init__(self, rows: int, columns: int) -> None:
        self._rows = rows
        self._columns = columns
        self._lines: list[str] = []
        self._partial = ""
        self.offset = 0  # bytes of output that led to it

    def add(self, text: str) -> None:
        """Something that is complete; it replaces what was being said."""
        self._partial = ""
        self._lines += self._wrapped(text)
        del self._lines[:-_KEPT]

    def growing(self, text: str) -> None:
        """More of what is being said."""
        self._partial = (self._partial + text)[-self._rows * self._columns :]

    def screen(self) -> Screen:
        """The last lines, as a terminal of the same size would show them."""
        shown = [*self._lines, *self._wrapped(self._partial)][-self._rows :]
        lines = tuple(shown + [""] * (self._rows - len(shown)))
        return Screen(
            lines=lines,
            cursor_row=max(0, len(shown) - 1),
            cursor_col=0,
            cursor_visible=False,
            title="",
            alternate=False,
            bracketed_paste=False,
            columns=self._columns,
            offset=self.offset,
        )

    def _wrapped(self, text: str) -> list[str]:
        lines: list[str] = []
        for line in text.splitlines():
            lines += textwrap.wrap(line.expandtabs(4), self._columns, drop_whitespace=False) or [""]
        return [line.rstrip() for line in lines]
