"""Notices from the screen that an agent cannot reach its model, once for each time that it happens. Pure."""

import re

from engine.ports.runtime import Notice, Screen


class Trouble:
    """Watches settled screens; None as pattern watches nothing."""

    def __init__(self, pattern: str | None) -> None:
        self._pattern = re.compile(pattern) if pattern else None
        self._shown = False

    def see(self, screen: Screen) -> Notice | None:
        """A notice when the trouble appears; nothing while it stays."""
        if self._pattern is None:
            return None
        row = next((line.strip() for line in screen.lines if self._pattern.search(line)), None)
        fresh = row is not None and not self._shown
        self._shown = row is not None
        return Notice(f"It cannot reach its model: {row}") if fresh else None
