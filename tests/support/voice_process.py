"""The voice as its own process on a virtual sound card, for system tests and benches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from support.desk import Desk, until
from support.soundcard import SoundCard


class Voice:
    """Starts, kills and ends ``conduit voice`` of one desk."""

    def __init__(self, desk: Desk, card: SoundCard, *arguments: str) -> None:
        self.desk = desk
        passed_on = ("CONDUIT_HOME", "CONDUIT_PRACTICE_SPEED", "PYTHONPATH")
        self.env = {**card.env, **{key: desk.env[key] for key in passed_on if key in desk.env}}
        self.process: subprocess.Popen[bytes] | None = None
        self._arguments = arguments
        self._since = ""  # when an earlier process told something last

    def start(self, until_it: Callable[[], bool] | None = None) -> None:
        """Returns when it listens, or ``until_it`` is true."""
        self._since = str(self.state()["updatedAt"] or "")
        log = (self.desk.home / "voice.out").open("ab")
        command = [sys.executable, "-m", "voice", "voice", *self._arguments]
        self.process = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        until(until_it or self.listens, "voice to listen", limit=90)

    def listens(self) -> bool:
        """Whether it tells that it hears; AssertionError with its last words when it ended."""
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"voice ended: {(self.desk.home / 'voice.out').read_text()[-3000:]}")
        state = self.state()
        return self._mine(state) and bool(state["connected"]) and state["listening"] in {"asleep", "listening"}

    def state(self) -> dict[str, Any]:
        """What it last told of itself."""
        return dict(self.desk.client().snapshot()["voice"])

    def reads(self) -> bool:
        """Whether this process is in the middle of reading a gate with a one-time word."""
        state = self.state()
        return bool(self._mine(state) and state["listening"] == "speaking" and "word is" in (state["said"] or ""))

    def _mine(self, state: dict[str, Any]) -> bool:
        """Whether this process told it, and not one before it."""
        return state["updatedAt"] is not None and state["updatedAt"] > self._since

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """An orderly end; AssertionError when it does not come."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("voice did not end when it was told to") from None
