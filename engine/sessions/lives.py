"""Starts, finds again, stops and lets go of agents; turns their questions into gates."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import replace
from pathlib import Path

from engine.domain.chat import ChatEntry
from engine.domain.errors import BadRequest, ConduitError, Conflict, Unavailable
from engine.domain.gates import CloseReason, Gate, Keys, Question
from engine.domain.ids import new_id
from engine.domain.projects import Agent, Project
from engine.domain.runs import Run, RunState, is_live
from engine.domain.sameness import one_question
from engine.domain.secrets import mask
from engine.gates.answers import question_of
from engine.gates.detect import Detector
from engine.gates.resolve import Resolver
from engine.ports.clock import Clock, stamp
from engine.ports.hub import Hub
from engine.ports.runtime import Exited, Launch, Leads, Reader, Runtime, Runtimes
from engine.runtimes import catalog
from engine.runtimes.piped import PipedRuntime
from engine.sessions import attempt
from engine.sessions.gatebook import Book
from engine.sessions.instructions import Instructions, text_for
from engine.sessions.launching import check_cwd, forgotten, launch_of, shared_folders
from engine.sessions.life import Desk, Life
from engine.sessions.profiles import profile_of
from engine.sessions.raising import Raiser
from engine.sessions.registry import Registry
from engine.storage.project_file import ProjectFile
from engine.storage.runs import Runs
from engine.storage.store import Store

_log = logging.getLogger(__name__)
LastWords = Callable[[Path], Exited]
Secrets = Callable[[Set[str]], Mapping[str, str]]  # the vault's values of these variables
Changed = Callable[[str, str], Awaitable[None]]  # project id, agent id


class Lives:
    """Owns every life of every agent; ``close`` leaves the agents running."""

    def __init__(
        self,
        *,
        store: Store,
        runs: Runs,
        runtimes: Runtimes,
        last_words: LastWords,
        registry: Registry,
        book: Book,
        resolver: Resolver,
        raiser: Raiser,
        reader: Reader,
        hub: Hub,
        clock: Clock,
        changed: Changed,
        secrets: Secrets,
    ) -> None:
        self._store = store
        self._runs = runs
        self._runtimes = runtimes
        self._last_words = last_words
        self._registry = registry
        self._book = book
        self._resolver = resolver
        self._raiser = raiser
        self._reader = reader
        self._clock = clock
        self._hub = hub
        self._changed = changed
        self._secrets = secrets
        self._instructions = Instructions(runs.layout)
        self._locks: dict[str, asyncio.Lock] = {}
        self._desk = Desk(
            runs=runs,
            hub=hub,
            clock=clock,
            raise_gate=self._raise_gate,
            withdraw=self._withdraw,
            lost=self._lost,
            changed=lambda life: changed(life.agent.project_id, life.agent.id),
            conversation=self._keep_conversation,
            notice=self._notice,
        )

    async def start(self, project: Project, agent: Agent, *, resume: bool = False) -> Life:
        """Begin a new life, going on with its last conversation if ``resume``.

        BadRequest with the install line when its CLI is not ready, Conflict when it runs.
        """
        async with self._lock(agent.id):
            entry, environment = await self._ready(project, agent)
            conversation = await self._conversation(agent) if resume else None
            run = await self._create_run(project, agent, conversation)
            await asyncio.to_thread(self._record_attempt, project, agent, run, environment)
            return await self._launched(project, agent, run, launch_of(agent, run, entry, environment, project))

    async def resume(self, project: Project, agent: Agent, run: Run) -> Life:
        """A further attempt of the same session, in its saved conversation unless that was found missing."""
        async with self._lock(agent.id):
            entry, environment = await self._ready(project, agent)
            missing = (run.reason or "").startswith("conversation_missing")
            conversation = None if missing else run.conversation_id
            run = await asyncio.to_thread(
                lambda: self._runs.update(run, state="starting", conversation_id=conversation, agent_name=agent.name)
            )
            await self._note_session(project, agent, run)
            return await self._launched(project, agent, run, launch_of(agent, run, entry, environment, project))

    async def _ready(self, project: Project, agent: Agent) -> tuple[catalog.Entry, dict[str, str]]:
        """How to start it, and with what; Conflict when it runs, BadRequest when its CLI is not ready."""
        before = self._registry.get(agent.id)
        if isinstance(before, Life) and before.ended is not None:
            await before.over()
        elif before is not None:
            raise Conflict(f"{agent.name} is running already.")
        entry = catalog.load().entry(agent.cli, command=agent.command)
        secrets = await asyncio.to_thread(self._secrets, frozenset((*entry.variables, *entry.required)))
        environment = catalog.environment(entry, {**os.environ, **secrets})
        not_ready = await asyncio.to_thread(catalog.preflight, entry, environment)
        if not_ready is not None:
            raise not_ready
        check_cwd(agent)
        return entry, {**environment, **await asyncio.to_thread(shared_folders, self._runs.layout, project)}

    async def _launched(self, project: Project, agent: Agent, run: Run, launch: Launch) -> Life:
        try:
            launch, untold = await self._instructed(project, agent, launch)
            runtime = await self._runtimes.start(launch)
        except BaseException as fault:
            await asyncio.to_thread(self._instructions.take, run.id)
            if isinstance(fault, ConduitError):
                reason = str(fault)
                await asyncio.to_thread(lambda: self._runs.update(run, state="failed", reason=reason))
            raise
        life = await self._begin(project, agent, run, runtime)
        if untold:
            await self._notice(life, untold)
        return life

    async def _instructed(self, project: Project, agent: Agent, launch: Launch) -> tuple[Launch, str | None]:
        """Put the instructions where its CLI reads them; with them the launch, or why they can't be put there."""
        entry = catalog.load().entry(agent.cli, command=agent.command)
        if entry.instructions is None:
            return launch, None
        give = self._instructions.give
        untold = await asyncio.to_thread(give, project, launch.run_id, launch.cwd, entry.instructions)
        if untold is None:
            await asyncio.to_thread(self._runs.briefing, launch.run_id, text_for(self._runs.layout, project))
        more = entry.reading(launch.cwd) if untold is None else ()
        return replace(launch, argv=(*launch.argv, *more)), untold

    def _record_attempt(self, project: Project, agent: Agent, run: Run, environment: dict[str, str]) -> None:
        layout = self._runs.layout
        profile = profile_of(layout, project.id)
        attempt.record(layout, run, agent, variables=tuple(environment), profile=profile)

    async def stop(self, agent_id: str) -> None:
        """End an agent and everything that it started; harmless when it does not run."""
        async with self._lock(agent_id):
            life = self._registry.get(agent_id)
            if isinstance(life, Life):
                await life.stop()

    async def adopt_all(self) -> list[str]:
        """At the engine's start: find living agents again and close what has lost its process."""
        files = {file.project.id: file for file in await asyncio.to_thread(self._store.list_files)}
        for file in files.values():
            for agent in file.agents:
                await self._book.load(agent.id, agent.name, tuple(file.gates.get(agent.id, ())))
        live = await asyncio.to_thread(self._runs.live)
        notices: list[str | None] = [await self._adopted(files.get(run.project_id), run) for run in live]
        going_on = [life.run.id for life in self._registry if isinstance(life, Life)]
        try:
            notices += await asyncio.to_thread(self._instructions.keep_only, going_on)
        except ConduitError as fault:  # a disk that refuses must not keep the engine from its agents
            notices.append(str(fault))
        for file in files.values():
            for agent in file.agents:
                if self._registry.get(agent.id) is None:
                    await self._resolver.recover(agent.id, alive=False)
        return [notice for notice in notices if notice]

    async def close(self) -> None:
        """Let go of every agent: the engine ends, they go on."""
        await self._resolver.aclose()
        lives = [life for life in self._registry if isinstance(life, Life)]
        await asyncio.gather(*(life.leave() for life in lives))

    async def _adopted(self, file: ProjectFile | None, run: Run) -> str | None:
        """One session that can't be taken up must not keep the engine from all others."""
        try:
            return await self._adopt(file, run)
        except ConduitError as fault:
            return f"Session S-{run.number} of {run.agent_name} could not be taken up: {fault}"

    async def _adopt(self, file: ProjectFile | None, run: Run) -> str | None:
        agent = next((agent for agent in file.agents if agent.id == run.agent_id), None) if file else None
        control = Path(run.control_path)
        if file is None or agent is None:
            await asyncio.to_thread(self._runs.update, run, state="process_lost", reason="its agent was deleted")
            return f"Session S-{run.number} belonged to an agent that was deleted."
        entry = catalog.load().kept(agent.cli, agent.command, codex=agent.codex_thread_id is not None)
        runtime = await self._runtimes.adopt(launch_of(agent, run, entry, {}), run.output_offset)
        if runtime is None:
            return await self._process_lost(run, self._last_words(control))
        frozen = not self._book.queue(agent.id) and await runtime.frozen()
        # The engine ended between a freeze and its gate. A terminal's command may be running already, so it stays held
        # until the user has decided; a structured agent runs nothing before its answer, and asks again.
        held = frozen and not isinstance(runtime, PipedRuntime)
        life = await self._begin(file.project, agent, run, runtime, found_frozen=held)
        await self._resolver.recover(agent.id, alive=True)
        if self._book.queue(agent.id):
            await self._hold(life)
        elif frozen and not held:
            await runtime.thaw()
        await life.set_state(waiting=bool(self._book.queue(agent.id)))
        unknown_cli = forgotten(agent)
        if unknown_cli is not None:
            await self._notice(life, unknown_cli)
        return unknown_cli

    async def _process_lost(self, run: Run, exited: Exited) -> str:
        state: RunState = "process_lost" if exited.code is None else "finished" if exited.code == 0 else "failed"
        await asyncio.to_thread(self._runs.update, run, state=state, exit_code=exited.code, reason=exited.reason)
        return f"{run.agent_name} (S-{run.number}) ended while the engine was away: {exited.reason}."

    async def _begin(
        self, project: Project, agent: Agent, run: Run, runtime: Runtime, *, found_frozen: bool = False
    ) -> Life:
        detector = Detector(self._reader, agent.cli, agent.cwd)
        life = Life(agent, project.name, run, runtime, detector, self._desk)
        life.taken_up = tuple(question_of(gate) for gate in self._book.queue(agent.id) if _on_screen(gate))
        life.found_frozen = found_frozen
        self._book.name(agent.id, agent.name)
        self._registry.add(life)
        life.begin()
        await self._changed(project.id, agent.id)
        return life

    async def _conversation(self, agent: Agent) -> str | None:
        """What the agent's last session talked in; None to begin afresh after that was found missing."""
        last = await asyncio.to_thread(self._runs.get, agent.session_id) if agent.session_id else None
        if last is None or last.conversation_id is None:
            raise BadRequest(f"{agent.name} has no saved conversation to go on with; start it without resuming.")
        return None if (last.reason or "").startswith("conversation_missing") else last.conversation_id

    async def _create_run(self, project: Project, agent: Agent, conversation: str | None) -> Run:
        run = await asyncio.to_thread(
            self._runs.create,
            project_id=project.id,
            agent_id=agent.id,
            agent_name=agent.name,
            cli=agent.cli,
            conversation_id=conversation,
        )

        await self._note_session(project, agent, run)
        return run

    async def _note_session(self, project: Project, agent: Agent, run: Run) -> None:
        def note(file: ProjectFile) -> ProjectFile:
            return file.with_agent(replace(file.agent(agent.id), session_id=run.id))

        await asyncio.to_thread(self._store.mutate_project, project.id, note)

    async def _raise_gate(self, life: Life, question: Question) -> None:
        """Freeze first: nothing costly may happen while the gate is being written down."""
        if await self._is_asked(life, question):
            return
        if question.handle is not None and self._book.decided(life.run.id, question.handle):
            return
        if question.may_have_begun and question.command and self._book.covers_echo(life.agent.id, question.command):
            return
        await self._hold(life)
        gate = await self._raiser.gate(life.agent, life.run, question)
        await self._resolver.open(gate)
        await self._raiser.after_opening(gate)

    async def _hold(self, life: Life) -> None:
        """Freeze it. What can't be stopped is said, and its question is asked all the same."""
        try:
            await life.runtime.freeze()
        except Unavailable as fault:
            await self._notice(life, f"{life.agent.name} asks something, but runs on meanwhile. {fault}")

    async def _is_asked(self, life: Life, question: Question) -> bool:
        """Whether a gate of it is open, or about to open: one question seen by two sources is one gate."""
        queue = self._book.queue(life.agent.id)
        if any(_asks_the_same(gate, question) or one_question(gate, question) for gate in queue):
            return True
        runtime = life.runtime
        return question.source == "regex" and isinstance(runtime, Leads) and await runtime.leads(question)

    async def _withdraw(self, life: Life, gone: Question | str, reason: CloseReason) -> None:
        for gate in self._book.queue(life.agent.id):
            same = gate.handle == gone if isinstance(gone, str) else _asks_the_same(gate, gone)
            if same:
                await self._resolver.close(life.agent.id, gate.id, reason)
                if not self._book.queue(life.agent.id):  # nothing is asked any more, so nothing holds it
                    await life.runtime.thaw()

    async def _keep_conversation(self, life: Life, name: str) -> None:
        entry = catalog.load().find(life.agent.cli)
        if life.agent.command or entry is None or entry.runtime != "codex":
            return
        life.agent = replace(life.agent, codex_thread_id=name)

        def note(file: ProjectFile) -> ProjectFile:
            return file.with_agent(replace(file.agent(life.agent.id), codex_thread_id=name))

        await asyncio.to_thread(self._store.mutate_project, life.agent.project_id, note)

    async def _notice(self, life: Life, text: str) -> None:
        """Say it where the user looks and listens: in the project's chat."""
        entry = ChatEntry(
            id=new_id("c"),
            ts=stamp(self._clock),
            role="agent",
            sender=life.agent.name,
            text=text,
            classification="blocker",
        )
        await asyncio.to_thread(self._store.append_chat, life.agent.project_id, entry)
        shown = {"id": entry.id, "ts": entry.ts, "role": entry.role, "sender": entry.sender}
        shown |= {"text": mask(text)[0], "classification": "blocker"}
        self._hub.publish("groupchat:message", {"projectId": life.agent.project_id, "entry": shown})

    async def _lost(self, life: Life, exited: Exited) -> None:
        if exited.code is None:  # its holder was lost: "stopped" is said only when nothing of the tree is left
            await life.runtime.stop()
        for gate in self._book.queue(life.agent.id):
            await self._resolver.close(life.agent.id, gate.id, "agent_stopped" if life.stopping else "process_lost")
        self._registry.drop(life)
        await life.runtime.detach()
        await self._changed(life.agent.project_id, life.agent.id)
        for sentence in await asyncio.to_thread(self._instructions.take, life.run.id):
            await self._notice(life, sentence)
        _log.info("%s ended: %s", life.agent.name, exited.reason)

    def _lock(self, agent_id: str) -> asyncio.Lock:
        return self._locks.setdefault(agent_id, asyncio.Lock())


def still_running(run: Run) -> bool:
    """Whether a run counts as unfinished, so that its project can't be deleted."""
    return is_live(run.state)


def _asks_the_same(gate: Gate, question: Question) -> bool:
    return (gate.handle, gate.prompt, gate.command) == (question.handle, question.prompt, question.command)


def _on_screen(gate: Gate) -> bool:
    """Whether the gate is a prompt on the screen that waits for keys; seen gone, it was answered."""
    keys = all(isinstance(choice.reply, Keys) for choice in gate.choices)
    return gate.source == "regex" and keys and not gate.may_have_begun
