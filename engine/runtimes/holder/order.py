"""What a holder is told to start, on its standard input: the agent's environment has secrets, and goes to no disk."""

import json
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from engine.runtimes.processes import MARK

Mode = Literal["pty", "pipes"]


class BadOrder(Exception):
    """The order is missing or malformed; the text is a sentence."""


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


def take(stream: BinaryIO) -> Order:
    """Read the order to its end; :class:`BadOrder` says what is wrong with it."""
    try:
        return _parse(json.loads(stream.read()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadOrder(f"The order on the standard input cannot be used to start an agent: {error!r}.") from error


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
