"""Stands for an engine that will be killed: starts an agent and prints the offset read. FOLDER RUN SCRIPT."""

import asyncio
import os
import sys
from pathlib import Path

from engine.ports.clock import SystemClock
from engine.ports.runtime import Launch, Output
from engine.runtimes.manager import LocalRuntimes


class NoReader:
    def questions(self, screen, cli, cwd):
        return ()

    def input_line(self, screen, cli):
        return None


async def main() -> None:
    folder, run_id, script = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    order = Launch(
        run_id=run_id,
        agent_id="a-1",
        cli="test",
        argv=("bash", "-c", script),
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        control=folder / "control",
    )
    agent = await LocalRuntimes(NoReader(), SystemClock()).start(order)
    async for signal in agent.signals():
        if isinstance(signal, Output):
            print(signal.offset + len(signal.data), flush=True)


asyncio.run(main())
