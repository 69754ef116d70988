"""A program's log: rotated by size, for its owner's eyes only."""

import io
import logging.handlers
import os
from pathlib import Path

_BYTES = 5_000_000
_OLD = 2


class LogFile(logging.handlers.RotatingFileHandler):
    """At most three files of 5 MB, each 0600 from its first byte on. OSError when it can't be opened."""

    def __init__(self, path: Path, most_bytes: int = _BYTES) -> None:
        super().__init__(path, maxBytes=most_bytes, backupCount=_OLD, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def _open(self) -> io.TextIOWrapper:
        stream = super()._open()
        os.fchmod(stream.fileno(), 0o600)
        return stream
