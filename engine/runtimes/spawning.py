"""Starts a holder as a process of its own, which outlives the engine."""

import asyncio
import json
import os
from pathlib import Path
from typing import Literal

from engine.domain.errors import Unavailable
from engine.ports.runtime import Launch
from engine.runtimes.holder.protocol import MODULE, Message

_LIMIT = 20.0  # seconds until a holder has started its agent
_PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH")  # to the holder itself, which needs next to nothing


async def spawn(launch: Launch, python: str, mode: Literal["pty", "pipes"] = "pty") -> Message:
    """Start a holder and wait until its agent runs; Unavailable with the reason when it does not."""
    try:
        await asyncio.to_thread(_prepare, launch.control)
    except OSError as error:
        raise Unavailable(f"The agent's folder {launch.control} cannot be used: {error.strerror}.") from error
    process = await asyncio.create_subprocess_exec(
        python,
        "-P",
        "-m",
        MODULE,
        str(launch.control),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_LIMIT):
            out, err = await process.communicate(_order(launch, mode))
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise Unavailable(
            f"The agent {launch.cli} did not start within {_LIMIT:.0f} s. Look at the machine's load."
        ) from error
    return _understand(out, err)


def _prepare(control: Path) -> None:
    control.mkdir(mode=0o700, parents=True, exist_ok=True)
    control.chmod(0o700)


def _order(launch: Launch, mode: str) -> bytes:
    """On the holder's standard input and nowhere else: the environment holds the values of secrets."""
    order = {
        "run_id": launch.run_id,
        "argv": list(launch.argv),
        "cwd": str(launch.cwd),
        "env": launch.env,
        "rows": launch.rows,
        "cols": launch.cols,
        "mode": mode,
    }
    return json.dumps(order).encode()


def _understand(out: bytes, err: bytes) -> Message:
    try:
        answer: Message = json.loads(out)
    except ValueError as error:
        tail = err.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise Unavailable(f"The agent's holder could not be started: {' '.join(tail) or 'it said nothing'}.") from error
    if "error" in answer:
        raise Unavailable(str(answer["error"]))
    return answer
