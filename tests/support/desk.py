"""A real engine on a root of its own, as its own process, for system tests and benches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from engine.client import Client

T = TypeVar("T")
LIMIT = 30.0  # seconds after which waiting for something is given up


def until(look: Callable[[], T | None], what: str, limit: float = LIMIT) -> T:
    """Poll until ``look`` gives something; AssertionError naming ``what`` when it never does."""
    end = time.monotonic() + limit
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {limit:g} s in vain for {what}")
        time.sleep(0.02)


class Desk:
    """Starts, kills and restarts the engine of one root; ends every agent of it at the end."""

    def __init__(self, home: Path, env: dict[str, str] | None = None) -> None:
        self.home = home
        self.env = {**os.environ, "CONDUIT_HOME": str(home), "CONDUIT_PRACTICE_SPEED": "0", **(env or {})}
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Desk:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            if self.process is None or self.process.poll() is not None:
                self.start()
            self.stop_agents()
        finally:
            self.stop()

    def start(self) -> None:
        """Start the engine on any free port and wait until it answers."""
        self.home.mkdir(parents=True, exist_ok=True)
        log = (self.home / "engine.out").open("ab")
        command = [sys.executable, "-m", "engine", "--home", str(self.home), "--port", "0"]
        self.process = subprocess.Popen(command, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        log.close()
        until(self._answers, "the engine to answer")

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"the engine ended: {(self.home / 'engine.out').read_text()[-2000:]}")
        try:
            told = json.loads((self.home / "engine.json").read_text())
        except (FileNotFoundError, ValueError):
            return False
        return bool(told.get("pid") == self.process.pid)

    def kill(self) -> None:
        """kill -9: the crash of the engine."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """An orderly end."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def stop_agents(self) -> None:
        client = self.client()
        for agent in client.snapshot()["agents"]:
            client.stop_agent(project_id=agent["projectId"], agent_id=agent["id"])

    def client(self, via: Any = "cli") -> Client:
        return Client.from_home(self.home, via=via)

    def voice(self) -> Client:
        return Client.from_home(self.home, kind="voice")

    def practice(self, folder: Path, name: str = "backend", project: str = "Apollo") -> dict[str, Any]:
        """A project with a running practice agent that has its input line up; the agent's view."""
        folder.mkdir(parents=True, exist_ok=True)
        client = self.client()
        made = client.create_project(name=project, cwd=str(folder))
        agent = client.create_agent(project_id=made["id"], name=name, cli="practice")
        client.start_agent(project_id=made["id"], agent_id=agent["id"])
        return self.agent(made["id"], agent["id"])

    def agent(self, project_id: str, agent_id: str) -> dict[str, Any]:
        return dict(self.client().get_agent(project_id=project_id, agent_id=agent_id))

    def gate(self, project_id: str, agent_id: str) -> dict[str, Any]:
        """Wait for the agent's open gate."""
        return until(lambda: self.agent(project_id, agent_id)["pendingGate"], "a gate to open")
