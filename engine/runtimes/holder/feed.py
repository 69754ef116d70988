"""The traffic on the lines: everything the agent prints is read at once and recorded; what is typed is queued."""

import os
import signal
from pathlib import Path

from engine.runtimes.holder.lines import Lines, flush_input, set_size
from engine.runtimes.holder.protocol import ERRORS, OUTPUT
from engine.runtimes.recording import Recording

_READ = 65536  # bytes a read
_BURST = 512 * 1024  # bytes taken in one go, before others get their turn
_QUEUE_LIMIT = 1024 * 1024  # bytes typed and not yet taken


class Full(Exception):
    """The agent does not take what is typed; the text is a sentence."""


class Feed:
    """Drains and fills one agent's lines. Near ends are non-blocking."""

    def __init__(self, lines: Lines, control: Path) -> None:
        self._lines = lines
        self._queue = bytearray()
        self.output = Recording(control / OUTPUT)
        self._errors = Recording(control / ERRORS, keep=4 << 20, segment=1 << 20) if lines.errors is not None else None
        self.open = True
        self._input_open = True
        self._guard = os.getppid()
        for fd in lines.near:
            os.set_blocking(fd, False)

    @property
    def wants_to_write(self) -> bool:
        return bool(self._queue)

    @property
    def writable(self) -> int | None:
        """None once it is closed: its number may be another file's by then."""
        return self._lines.write if self._input_open else None

    @property
    def readable(self) -> frozenset[int]:
        errors = self._lines.errors
        return frozenset({self._lines.read} if errors is None else {self._lines.read, errors})

    def drain(self, everything: bool = False) -> None:
        """Record what is there: a burst, or all of it."""
        self.open = self._drain(self._lines.read, self.output, everything) and self.open
        if self._errors is not None and self._lines.errors is not None:
            self._drain(self._lines.errors, self._errors, everything)

    def write(self, data: bytes) -> int:
        """Type bytes; returns how many still wait to be taken."""
        if not self._input_open:
            raise Full("The agent's input was closed: nothing can be typed any more.")
        if len(self._queue) + len(data) > _QUEUE_LIMIT:
            raise Full("The agent does not read its input: what was typed before still waits. Interrupt or stop it.")
        self._queue += data
        self.flush_queue()
        return len(self._queue)

    def flush_queue(self) -> None:
        """Hand on what the lines take now."""
        try:
            while self._queue:
                del self._queue[: os.write(self._lines.write, self._queue)]
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more: the agent closed its input
            self._queue.clear()

    def forget_typed(self) -> None:
        """Throw away all that was typed and not read."""
        self._queue.clear()
        flush_input(self._lines)

    def resize(self, rows: int, cols: int) -> None:
        """Change the terminal's size; nothing for pipes."""
        if self._lines.name is not None:
            set_size(self._lines.write, rows, cols)

    def close_input(self) -> None:
        """Pipes: let the agent read an end of file. The guard holds a copy of the pipe, and is asked to let go too."""
        if self._lines.name is None and self._input_open:
            self._input_open = False
            self._queue.clear()
            os.close(self._lines.write)
            if os.getppid() == self._guard:
                os.kill(self._guard, signal.SIGUSR1)

    def close(self) -> None:
        """Close the recordings."""
        self.output.close()
        if self._errors is not None:
            self._errors.close()

    @staticmethod
    def _drain(fd: int, into: Recording, everything: bool) -> bool:
        taken = bytearray()
        more = True
        while more and (everything or len(taken) < _BURST):
            try:
                piece = os.read(fd, _READ)
            except BlockingIOError:
                break
            except OSError:  # EIO: the last program closed the terminal
                more = False
                break
            more = bool(piece)
            taken += piece
            if len(taken) >= _BURST:
                into.append(bytes(taken))
                taken.clear()
                if not everything:
                    break
        if taken:
            into.append(bytes(taken))
        return more
