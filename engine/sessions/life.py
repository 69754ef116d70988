"""One life of an agent: what its runtime tells becomes status, transcript, gates and delivered messages."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from engine.domain.errors import ConduitError
from engine.domain.gates import CloseReason, Question
from engine.domain.projects import Agent
from engine.domain.runs import Run, RunState, is_live
from engine.gates.detect import Detector, EchoWatch, forgotten_hold
from engine.ports.clock import Clock
from engine.ports.hub import Hub
from engine.ports.runtime import (
    Activity,
    Asked,
    Conversation,
    Exited,
    Notice,
    Output,
    Runtime,
    Said,
    Screen,
    Settled,
    Signal,
    Withdrawn,
)
from engine.sessions import status
from engine.sessions.blind import blind
from engine.sessions.mailbox import Mailbox
from engine.sessions.transcript import new_lines
from engine.storage.runs import Runs

_log = logging.getLogger(__name__)
_KNOWN_ENTRIES = 400  # entries of a transcript in which a screen that is seen again is looked for
_CATCHING_UP = 5.0  # seconds in which the recorded output of a found agent is drawn again
_SAVE_EVERY = 256 * 1024  # bytes of output after which the read offset is put on disk


@dataclass(frozen=True, slots=True)
class Desk:
    """What a life reports to."""

    runs: Runs
    hub: Hub
    clock: Clock
    raise_gate: "Callable[[Life, Question], Awaitable[None]]"
    withdraw: "Callable[[Life, Question | str, CloseReason], Awaitable[None]]"
    lost: "Callable[[Life, Exited], Awaitable[None]]"
    changed: "Callable[[Life], Awaitable[None]]"
    conversation: "Callable[[Life, str], Awaitable[None]]"
    notice: "Callable[[Life, str], Awaitable[None]]"


class Life:
    """Owns the task that consumes one runtime's signals."""

    def __init__(
        self, agent: Agent, project_name: str, run: Run, runtime: Runtime, detector: Detector, desk: Desk
    ) -> None:
        self.agent = agent
        self.project_name = project_name
        self.run = run
        self.runtime = runtime
        self.mailbox = Mailbox(run, desk.runs, runtime, desk.hub)
        self.known = status.started(desk.clock.boot(), liveness_only=runtime.liveness_only)
        self.ended: Exited | None = None
        self._detector = detector
        self._echoes = EchoWatch(agent.cli, blind(agent.cwd))
        self._desk = desk
        self._lines: tuple[str, ...] = ()
        self._written: set[str] = set()
        self._written_until = 0.0
        self._saved_offset = run.output_offset
        self.stopping = False
        self.found_frozen = False  # stopped by an engine that ended before it wrote down why
        self.taken_up: tuple[Question, ...] = ()  # asked before this engine began; each is looked for once
        self._state_lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start consuming; ``over`` waits for the end."""
        self._task = asyncio.create_task(self._consume(), name=f"life of {self.agent.name}")

    async def over(self) -> None:
        """Return when the life has ended and all that it left is on disk."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def stop(self) -> None:
        """End the agent at the user's word."""
        self.stopping = True
        await self.runtime.stop()
        await self.over()

    async def leave(self) -> None:
        """Let go of a living agent: the engine ends, the agent goes on."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._save_offset(self.runtime.screen().offset)
        await self.runtime.detach()

    async def set_state(self, waiting: bool) -> None:
        """Note in run.json that it waits for an answer, or works again."""
        await self._move("waiting" if waiting else "working")
        await self._desk.changed(self)

    async def _consume(self) -> None:
        await self.mailbox.load()
        # An agent that was found again: what its screens show at first may have been written down already.
        entries = await asyncio.to_thread(self._desk.runs.tail_transcript, self.run, _KNOWN_ENTRIES)
        self._written = {line for entry in entries for line in str(entry.get("text", "")).splitlines()}
        self._written_until = self._desk.clock.boot() + _CATCHING_UP
        async for signal in self.runtime.signals():
            try:
                await self._take(signal)
            except ConduitError as fault:
                _log.error("%s: %s", self.agent.name, fault)
        if self.ended is None:
            await self._exited(Exited(None, "its holder is gone"))

    async def _take(self, signal: Signal) -> None:
        before = self.known.status
        self.known = status.after(self.known, signal, self._desk.clock.boot())
        match signal:
            case Output():
                pass
            case Settled(screen):
                await self._settled(screen)
            case Asked() | Withdrawn() | Activity() | Said() | Conversation() | Notice():
                await self._heard(signal)
            case Exited():
                await self._exited(signal)
            case _:
                assert_never(signal)
        if self.known.status != before:
            await self._desk.changed(self)

    async def _heard(self, signal: Asked | Withdrawn | Activity | Said | Conversation | Notice) -> None:
        """What a structured source told of itself."""
        match signal:
            case Asked(question):
                await self._desk.raise_gate(self, question)
            case Withdrawn(handle, why):
                await self._desk.withdraw(self, handle, why)
            case Activity(state):
                await self._active(state == "working")
            case Said(role, text):
                await self._write({"role": role, "text": text})
                await self._save_offset(self.runtime.screen().offset)
            case Conversation(name):
                await self._update(conversation_id=name)
                await self._desk.conversation(self, name)
            case Notice(text):
                await self._write({"role": "notice", "text": text})
                await self._desk.notice(self, text)

    async def _active(self, working: bool) -> None:
        await self._move("working" if working else "idle")
        if not working:  # what was said to it meanwhile waits for this
            await self.mailbox.deliver()

    async def _settled(self, screen: Screen) -> None:
        said = [line for line in new_lines(self._lines, screen.lines) if line not in self._written]
        if self._written and self._desk.clock.boot() > self._written_until:
            self._written = set()
        self._lines = screen.lines
        # In a worker thread: the judge may look at files, and no agent's question may wait for another's.
        appeared, gone = await asyncio.to_thread(self._detector.see, screen)
        appeared += await self._echoed(screen, said)
        if self.found_frozen and not appeared:
            appeared = [forgotten_hold(self.agent.name)]
        self.found_frozen = False
        for question in appeared:  # freeze first, write later: nothing costly may happen meanwhile
            await self._desk.raise_gate(self, question)
        for question in (*gone, *await self._not_there_any_more(screen)):
            await self._desk.withdraw(self, question, "withdrawn")
        if said:
            await self._write({"role": "agent", "text": "\n".join(said)})
        if screen.offset - self._saved_offset >= _SAVE_EVERY:
            await self._save_offset(screen.offset)
        await self.mailbox.deliver()
        if self.run.state == "starting":
            await self._move("working")

    async def _echoed(self, screen: Screen, said: Sequence[str]) -> list[Question]:
        """Commands that it says it has started; after the engine's absence only those that were not seen before."""
        echoed = await asyncio.to_thread(self._echoes.see, screen)
        if not self._written:
            return echoed
        return [question for question in echoed if any((question.command or "") in line for line in said)]

    async def _not_there_any_more(self, screen: Screen) -> list[Question]:
        """What was asked before this engine began, and was answered before it looked.

        Only a screen that holds all that was printed can tell: one drawn from half of it may lack a live question.
        """
        if not self.taken_up or (await self.runtime.replay(screen.offset))[1]:
            return []
        live = [(question.prompt, question.command) for question in self._detector.live]
        gone = [question for question in self.taken_up if (question.prompt, question.command) not in live]
        self.taken_up = ()
        return gone

    async def _exited(self, exited: Exited) -> None:
        self.ended = exited
        await self._save_offset(self.runtime.screen().offset)
        state, reason = _end(exited, stopping=self.stopping)
        await self._update(state=state, exit_code=exited.code, reason=reason)
        await self._desk.lost(self, exited)

    async def _move(self, state: RunState) -> None:
        if self.run.state != state and is_live(self.run.state):
            await self._update(state=state)

    async def _save_offset(self, offset: int) -> None:
        if offset > self._saved_offset:
            self._saved_offset = offset
            await self._update(output_offset=offset)

    async def _update(self, **changes: Any) -> None:
        async with self._state_lock:
            self.run = await asyncio.to_thread(lambda: self._desk.runs.update(self.run, **changes))

    async def _write(self, entry: dict[str, str]) -> None:
        await asyncio.to_thread(self._desk.runs.transcript, self.run, entry)


def _end(exited: Exited, *, stopping: bool) -> tuple[RunState, str]:
    """The run's last state, and why, for a person."""
    if stopping:
        return "halted", "stopped by its user"
    if exited.code is None:
        return "process_lost", exited.reason
    return ("finished" if exited.code == 0 else "failed"), exited.reason
