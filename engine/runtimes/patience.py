"""Notices when an agent's model has been silent for too long; the agents themselves say nothing of it for minutes."""

import asyncio
from collections.abc import Callable

LIMIT = 12.0  # seconds without a sign of the model while nothing else is waited for


class Patience:
    """One turn at a time. ``tell`` is called at most once a turn. Owns one timer; :meth:`end` drops it."""

    def __init__(self, tell: Callable[[], None], limit: float = LIMIT) -> None:
        self._tell = tell
        self._limit = limit
        self._timer: asyncio.TimerHandle | None = None
        self._spent = False

    def begin(self) -> None:
        """A turn begins: the model is waited for."""
        self._spent = False
        self.heard()

    def heard(self) -> None:
        """A sign of the model, or it is waited for again: the time starts anew."""
        self.pause()
        if not self._spent:
            self._timer = asyncio.get_running_loop().call_later(self._limit, self._out)

    def pause(self) -> None:
        """The model is not what is waited for: a tool runs, or the user decides."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self) -> None:
        """The turn is over, or its trouble has been told."""
        self.pause()
        self._spent = True

    def _out(self) -> None:
        self.end()
        self._tell()
