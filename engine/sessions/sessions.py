"""What people do with sessions: resume, halt, cancel, archive, delete; and those that resume by themselves."""

import asyncio
import contextlib
import logging
from datetime import datetime
from typing import Any

from engine.domain.errors import ConduitError, Conflict, NotFound
from engine.domain.projects import Agent, Project
from engine.domain.runs import Run, is_live
from engine.ports.clock import Clock
from engine.sessions import attempt
from engine.sessions.lives import Lives
from engine.sessions.marks import Marks
from engine.sessions.registry import Registry
from engine.storage.project_file import ProjectFile
from engine.storage.runs import Runs
from engine.storage.store import Store

_log = logging.getLogger(__name__)
_LOOK_EVERY = 30.0  # seconds at most between looks at what is due: wall time may jump
BY_ITSELF = "auto-resume"


class Sessions:
    """Owns the task that resumes sessions when their time comes; ``close`` ends it."""

    def __init__(self, store: Store, runs: Runs, lives: Lives, registry: Registry, clock: Clock) -> None:
        self._store = store
        self._runs = runs
        self._lives = lives
        self._registry = registry
        self._clock = clock
        self.marks = Marks(runs.layout, clock)
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def resume(self, run: Run, via: str) -> Run:
        """Start the same session again, in its own conversation where its CLI still has it.

        Conflict while it runs, once it is cancelled, or when its agent is gone or runs in another session.
        """
        if is_live(run.state):
            raise Conflict(f"S-{run.number} is {run.state}; it runs already.")
        if run.root_id is not None:
            raise Conflict(f"{run.id} is a step of S-{run.number}; resume the session.")
        project, agent = await self._agent(run)
        await asyncio.to_thread(attempt.check, self._runs.layout, run)
        await asyncio.to_thread(self.marks.disarm, run.id)
        life = await self._lives.resume(project, agent, run)
        await self._journal(run, "session.resumed", {"via": via})
        await asyncio.to_thread(self.marks.unarchive, run.id)
        return life.run

    async def arm(self, run: Run, at: datetime, via: str) -> str:
        """Resume it by itself at a wall time; the time as it is kept. Conflict for one that is cancelled."""
        if run.state == "cancelled":
            raise Conflict(f"S-{run.number} is cancelled; start a fresh session instead.")
        when = await asyncio.to_thread(self.marks.arm, run.id, at, via)
        await self._journal(run, "auto_resume.armed", {"at": when, "via": via})
        self._changed.set()
        return when

    async def halt(self, run: Run, via: str) -> Run:
        """End its processes; it can be resumed. Conflict when it does not run."""
        if not is_live(run.state):
            raise Conflict(f"S-{run.number} does not run: it is {run.state}.")
        await asyncio.to_thread(self.marks.note_halt, run.id, "halt", via)
        await asyncio.to_thread(self.marks.disarm, run.id)
        await self._end(run)
        return await self._again(run)

    async def cancel(self, run: Run, via: str) -> Run:
        """End it for good: its processes, its waiting messages, its time to resume. Conflict when it is over."""
        if run.state in ("cancelled", "finished"):
            raise Conflict(f"S-{run.number} is {run.state} already.")
        await asyncio.to_thread(self.marks.note_halt, run.id, "cancel", via)
        await asyncio.to_thread(self.marks.disarm, run.id)
        if is_live(run.state):
            await self._end(run)
        after = await self._again(run)
        if after.state != "finished":  # it may have come to its own end meanwhile
            reason = f"cancelled by its user ({via})"
            after = await asyncio.to_thread(lambda: self._runs.update(run.id, state="cancelled", reason=reason))
        await asyncio.to_thread(self._drop_messages, run)
        return after

    async def archive(self, run: Run, via: str, *, archived: bool) -> None:
        """Put it out of sight, or back. Conflict while it runs."""
        if not archived:
            await asyncio.to_thread(self.marks.unarchive, run.id)
            return
        if is_live(run.state):
            raise Conflict(f"S-{run.number} is {run.state}; halt it first, then archive it.")
        await asyncio.to_thread(self.marks.archive, run.id, via)

    async def delete(self, run: Run) -> None:
        """Remove it and its work folder; its tombstone, written first, stays. Conflict while it runs."""
        if is_live(run.state) or self._life(run) is not None:
            raise Conflict(f"S-{run.number} is {run.state}; cancel it first, then delete it.")
        await asyncio.to_thread(self._runs.delete, run)
        await asyncio.to_thread((self._runs.layout.armed / run.id).unlink, missing_ok=True)

    # -- by themselves

    def watch(self) -> None:
        """Begin to resume what is due; call once everything else has started."""
        self._task = asyncio.create_task(self._watch(), name="auto-resume")

    async def close(self) -> None:
        """End the watching; what is armed stays armed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def fire_due(self) -> list[str]:
        """Resume each session whose time has come, once: its mark goes before it starts. One sentence each."""
        told = []
        for run_id, at in (await asyncio.to_thread(self.marks.armed)).items():
            if at <= self._clock.wall():
                told.append(await self._fire(run_id))
        return told

    async def _watch(self) -> None:
        while True:
            try:
                for sentence in await self.fire_due():
                    _log.warning("%s", sentence)
                wait = await self._until_next()
            except (ConduitError, OSError) as fault:
                _log.error("auto-resume: %s", fault)
                wait = _LOOK_EVERY
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait)

    async def _until_next(self) -> float:
        armed = await asyncio.to_thread(self.marks.armed)
        waits = [(at - self._clock.wall()).total_seconds() for at in armed.values()]
        return min([_LOOK_EVERY, *(max(0.05, wait) for wait in waits)])

    async def _fire(self, run_id: str) -> str:
        if not await asyncio.to_thread(self.marks.disarm, run_id):
            return f"Session {run_id} was to resume by itself, but is not armed any more."
        try:
            run = await asyncio.to_thread(self._runs.get, run_id)
            await self.resume(run, BY_ITSELF)
        except ConduitError as fault:
            with contextlib.suppress(NotFound):
                await self._journal(run_id, "auto_resume.failed", {"reason": str(fault)})
            return f"Session {run_id} was to resume by itself, but could not: {fault}"
        return f"Session S-{run.number} resumed by itself, as it was set to."

    # -- within

    def _life(self, run: Run) -> Any:
        life = self._registry.get(run.agent_id)
        return life if life is not None and life.run.id == run.id else None

    async def _end(self, run: Run) -> None:
        if self._life(run) is not None:
            await self._lives.stop(run.agent_id)
        elif is_live((await self._again(run)).state):  # nothing stands behind its record: a step, or a tool's own
            await asyncio.to_thread(lambda: self._runs.update(run, state="halted", reason="stopped by its user"))

    async def _again(self, run: Run) -> Run:
        return await asyncio.to_thread(self._runs.get, run.id, run.root_id)

    async def _agent(self, run: Run) -> tuple[Project, Agent]:
        file: ProjectFile = await asyncio.to_thread(self._store.project_file, run.project_id)
        agent = next((agent for agent in file.agents if agent.id == run.agent_id), None)
        if agent is None:
            raise Conflict(f"The agent of S-{run.number}, {run.agent_name}, was deleted; its session can't be resumed.")
        other = self._registry.get(agent.id)
        if other is not None:
            raise Conflict(f"{agent.name} runs in S-{other.run.number}; halt that first, then resume S-{run.number}.")
        return file.project, agent

    async def _journal(self, run: Run | str, event: str, data: dict[str, Any]) -> None:
        await asyncio.to_thread(self._runs.journal, run, event, data)

    def _drop_messages(self, run: Run) -> None:
        messages = self._runs.messages(run)
        for message in messages.queued():
            messages.cancel(message.id)
