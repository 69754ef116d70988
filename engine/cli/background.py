"""Starts and stops the engine as a background process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.connect import client, home
from engine.cli.exits import NoEngine
from engine.domain.errors import ConduitError, Unavailable

if TYPE_CHECKING:
    from engine.client import Client

_START_S = 30.0
_STOP_S = 30.0
_LOOK_S = 0.05
_LITTLE_ROOM = 65_536  # bytes


def running() -> Client | None:
    """The engine of this data root, if one answers."""
    try:
        return client()
    except NoEngine:
        return None


def start(port: int) -> Client:
    """Start an engine that outlives this process and wait until it answers; its own sentence when it does not."""
    root = home()
    said = _log_file(root)
    with said.open("ab") as log:
        at = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-m", "engine", "--home", str(root), "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if (engine := running()) is not None:
            return engine
        if process.poll() is not None:
            raise Unavailable(_last_words(said, at) or _silent_end(said))
        time.sleep(_LOOK_S)
    process.terminate()
    raise Unavailable(f"The engine did not answer within {_START_S:.0f} s. Look into {said}.")


def _log_file(root: Path) -> Path:
    """Where a background engine's standard error goes; made private before anything is in it."""
    folder = root / "logs"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "engine.err"
    path.touch(mode=0o600)
    return path


def _last_words(path: Path, at: int) -> str:
    with path.open("rb") as log:
        log.seek(at)
        lines = log.read(65_536).decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _silent_end(log: Path) -> str:
    """Why an engine ended without a word: on a full disk not even that can be written."""
    if shutil.disk_usage(log.parent).free < _LITTLE_ROOM:
        return f"The engine could not start: the disk of {log.parent.parent} is full; make room and try again."
    return f"The engine ended at once. Look into {log}."


def stop(engine: Client) -> None:
    """Ask the engine to end and wait until its process has gone."""
    pid = engine.health()["pid"]
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_S
    while time.monotonic() < deadline:
        if not _alive(pid):
            return
        time.sleep(_LOOK_S)
    raise Unavailable(f"The engine (process {pid}) did not end within {_STOP_S:.0f} s. Look into {home() / 'logs'}.")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not _zombie(pid)


def _zombie(pid: int) -> bool:
    """Ended but not yet reaped by whoever started it."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0] == "Z"
        )
    except (OSError, IndexError):
        return False


def stop_agents(engine: Client) -> list[str]:
    """Stop every agent that runs; the sentences of those that could not be stopped."""
    problems = []
    for agent in engine.snapshot()["agents"]:
        if agent["status"] == "stopped":
            continue
        try:
            engine.stop_agent(project_id=agent["projectId"], agent_id=agent["id"])
        except ConduitError as error:
            problems.append(f"{agent['projectName']}/{agent['name']}: {error}")
    return problems
