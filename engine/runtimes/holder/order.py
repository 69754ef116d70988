"""What a holder is told to start. The file is deleted once read: it carries the agent's environment."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.runtimes.holder.protocol import LAUNCH
from engine.runtimes.processes import MARK

Mode = Literal["pty", "pipes"]


class BadOrder(Exception):
    """The launch file is missing or malformed; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Order:
    """One agent to start. ``environment`` is complete and already marked with the run's id."""

    run_id: str
    argv: list[str]
    cwd: str
    environment: dict[str, str]
    rows: int
    cols: int
    mode: Mode


def take(control: Path) -> Order:
    """Read and delete ``launch.json``; :class:`BadOrder` says what is wrong with it."""
    path = control / LAUNCH
    try:
        text = path.read_text()
        path.unlink()
        return _parse(json.loads(text))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadOrder(f"{path} cannot be used to start an agent: {error!r}.") from error


def _parse(raw: dict[str, Any]) -> Order:
    if raw["mode"] not in ("pty", "pipes") or not raw["argv"]:
        raise ValueError("mode must be pty or pipes, argv not empty")
    run_id = str(raw["run_id"])
    environment = {str(name): str(value) for name, value in raw["env"].items()}
    return Order(
        run_id=run_id,
        argv=[str(part) for part in raw["argv"]],
        cwd=str(raw["cwd"]),
        environment={**environment, MARK: run_id},
        rows=int(raw["rows"]),
        cols=int(raw["cols"]),
        mode=raw["mode"],
    )
