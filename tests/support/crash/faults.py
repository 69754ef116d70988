"""Makes the disk unreliable for one process: a few writes and syncs below a root fail, or take only a part."""

from __future__ import annotations

import errno
import os
import random
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any


def install(root: Path, seed: int, rate: float) -> None:
    """From now on ``rate`` of the writes and syncs to regular files below ``root`` go wrong."""
    dice = random.Random(seed)
    real_write, real_sync = os.write, os.fsync
    below = str(root.resolve())

    def ours(fd: int) -> bool:
        return stat.S_ISREG(os.fstat(fd).st_mode) and str(Path(f"/proc/self/fd/{fd}").readlink()).startswith(below)

    def write(fd: int, data: Any, /) -> int:
        if dice.random() < rate and ours(fd):
            if dice.random() < 0.5:
                return real_write(fd, bytes(data)[: max(1, len(data) // 2)])
            raise OSError(errno.EIO, "injected")
        return real_write(fd, data)

    def sync(fd: int) -> None:
        if dice.random() < rate and ours(fd):
            raise OSError(errno.EIO, "injected")
        real_sync(fd)

    patch: Callable[[str, Any], None] = lambda name, value: setattr(os, name, value)  # noqa: E731
    patch("write", write)
    patch("fsync", sync)
