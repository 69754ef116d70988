"""Agents: make, change, start, stop; their terminal and their gates."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from engine.domain.chat import AuditLine
from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.domain.gates import Decision, Gate, Via
from engine.domain.ids import new_id
from engine.domain.projects import Agent, Project
from engine.domain.secrets import mask
from engine.domain.wire import AgentView, OutputView, ResolveResult, RevealView
from engine.gates.ports import ResolveRequest
from engine.ports.clock import stamp
from engine.runtimes import catalog
from engine.service.office import Office
from engine.service.projects import _folder as folder
from engine.sessions.registry import Alive
from engine.storage.layout import folder_name, same_name
from engine.storage.project_file import ProjectFile

_POLL = 0.1  # seconds between looks at the recorded output while someone is attached


class AgentService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def list_agents(self, *, project_id: str) -> list[AgentView]:
        file = await self._office.file(project_id)
        return [await self._office.agent_view(file.project, agent) for agent in file.agents]

    async def create_agent(
        self,
        *,
        project_id: str,
        name: str,
        cli: str,
        role: str | None = None,
        cwd: str | None = None,
        command: list[str] | None = None,
        flags: list[str] | None = None,
    ) -> AgentView:
        """Add an agent; whether its CLI is installed is looked at when it starts."""
        catalog.load().entry(cli, command=tuple(command) if command else None)
        file = await self._office.file(project_id)
        agent = Agent(
            id=new_id("a"),
            project_id=project_id,
            name=_agent_name(name),
            cli=cli,
            cwd=folder(cwd) if cwd else file.project.cwd,
            command=tuple(command) if command else None,
            role=role,
            flags=tuple(flags or ()),
        )
        return await self._save(project_id, agent)

    async def get_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        return await self._view(project_id, agent_id)

    async def update_agent(self, *, project_id: str, agent_id: str, **changes: Any) -> AgentView:
        """Change what is given; an agent that runs keeps what it was started with until its next start."""
        _, agent = await self._office.agent(project_id, agent_id)
        given = {key: value for key, value in changes.items() if value is not None}
        if "name" in given:
            given["name"] = _agent_name(given["name"])
        if "cwd" in given:
            given["cwd"] = folder(given["cwd"])
        for key in {"command", "flags"} & given.keys():
            given[key] = tuple(given[key])
        changed = replace(agent, **given)
        catalog.load().entry(changed.cli, command=changed.command)
        return await self._save(project_id, changed)

    async def delete_agent(self, *, project_id: str, agent_id: str) -> dict[str, str]:
        _, agent = await self._office.agent(project_id, agent_id)
        if self._office.registry.get(agent_id) is not None:
            raise BadRequest(f"{agent.name} is running; stop it first.")
        await asyncio.to_thread(
            self._office.store.mutate_project, project_id, lambda file: file.without_agent(agent_id)
        )
        self._office.book.forget(agent_id)
        self._office.hub.publish("org:changed", {"projectId": project_id, "deletedAgent": agent_id})
        return {"deleted": agent_id}

    async def start_agent(self, *, project_id: str, agent_id: str, resume: bool = False) -> AgentView:
        """Start an agent; with ``resume`` it goes on with the conversation of its last session."""
        project, agent = await self._office.agent(project_id, agent_id)
        await self._office.lives.start(project, agent, resume=resume)
        return await self._view(project_id, agent_id)

    async def stop_agent(self, *, project_id: str, agent_id: str, via: Via) -> AgentView:
        """End the agent and every process that it started; said only when nothing is left."""
        _, agent = await self._office.agent(project_id, agent_id)
        if self._office.registry.get(agent_id) is not None:
            await self._office.lives.stop(agent_id)
            await self._note_stop(agent, via)
        return await self._view(project_id, agent_id)

    async def restart_agent(self, *, project_id: str, agent_id: str, via: Via) -> AgentView:
        await self.stop_agent(project_id=project_id, agent_id=agent_id, via=via)
        return await self.start_agent(project_id=project_id, agent_id=agent_id)

    async def interrupt_agent(self, *, project_id: str, agent_id: str) -> AgentView:
        life = await self._life(project_id, agent_id)
        self.refuse_at_gate(life)
        await life.runtime.interrupt()
        return await self._view(project_id, agent_id)

    async def output(self, *, project_id: str, agent_id: str, lines: int = 40) -> OutputView:
        """The settled screen as text; of an agent that is not running, the end of its transcript."""
        project, agent = await self._office.agent(project_id, agent_id)
        view = await self._office.agent_view(project, agent)
        life = self._office.registry.get(agent_id)
        shown = list(life.runtime.screen().lines) if life else await self._last_lines(agent, lines)
        while shown and not shown[-1].strip():
            shown.pop()
        text, _ = mask("\n".join(shown[-lines:]))
        return {"text": text, "status": view["status"], "frozen": view["frozen"]}

    async def terminal(self, *, project_id: str, agent_id: str, after: int | None = None) -> AsyncIterator[bytes]:
        """Raw output from an offset on, until the agent ends."""
        life = await self._life(project_id, agent_id)
        return self._stream(life, after)

    async def terminal_keys(self, *, project_id: str, agent_id: str, data: bytes) -> None:
        life = await self._life(project_id, agent_id)
        self.refuse_at_gate(life)
        await life.runtime.write(data)

    async def terminal_size(self, *, project_id: str, agent_id: str, rows: int, cols: int) -> None:
        if not (5 <= rows <= 500 and 20 <= cols <= 1000):
            raise BadRequest(
                f"A terminal of {rows} rows and {cols} columns can't be; take 5-500 rows, 20-1000 columns."
            )
        await (await self._life(project_id, agent_id)).runtime.resize(rows, cols)

    async def resolve(
        self,
        *,
        project_id: str,
        agent_id: str,
        gate_id: str,
        decision: Decision,
        custom_input: str | None = None,
        request_id: str | None = None,
        voice_session: str | None = None,
        via: Via,
    ) -> ResolveResult:
        """The one way in for every decision on a gate."""
        await self._office.agent(project_id, agent_id)
        done = await self._office.resolver.resolve(
            ResolveRequest(
                gate_id=gate_id,
                agent_id=agent_id,
                decision=decision,
                via=via,
                custom_input=custom_input,
                request_id=request_id,
                voice_session=voice_session,
            )
        )
        return {"action": done.action, "agentName": done.agent_name, "decision": done.decision, "via": done.via}

    async def reveal(self, *, project_id: str, agent_id: str, gate_id: str, via: Via) -> RevealView:
        """The exact text of an open gate, once it is noted who looked. NotFound when it is not open here."""
        _, agent = await self._office.agent(project_id, agent_id)
        gate = next((gate for gate in self._office.book.queue(agent.id) if gate.id == gate_id), None)
        if gate is None:
            raise NotFound(f"{agent.name} has no open gate {gate_id}.")
        await asyncio.to_thread(self._office.store.append_audit, project_id, self._revealed(gate, via))
        return {"prompt": gate.prompt, "command": gate.command}

    def _revealed(self, gate: Gate, via: Via) -> AuditLine:
        return AuditLine(
            id=new_id("au"),
            timestamp=stamp(self._office.clock),
            event="gate_reveal",
            decision="reveal",
            action=f"showed what is masked in gate {gate.id}",
            via=via,
            agent_id=gate.agent_id,
        )

    def refuse_at_gate(self, life: Alive) -> None:
        """BadRequest while a gate is open: what is typed now would be its answer."""
        gates = self._office.book.queue(life.agent.id)
        if gates:
            raise BadRequest(
                f"{life.agent.name} waits at gate {gates[0].id}; what is sent now would be its answer. Decide it first."
            )

    async def _stream(self, life: Alive, after: int | None) -> AsyncIterator[bytes]:
        start, data = await life.runtime.replay(after)
        while True:
            if data:
                yield data
            elif self._office.registry.get(life.agent.id) is not life:
                return
            else:
                await self._office.clock.sleep(_POLL)
            start, data = await life.runtime.replay(start + len(data))

    async def _last_lines(self, agent: Agent, lines: int) -> list[str]:
        if agent.session_id is None:
            return []
        try:
            run = await asyncio.to_thread(self._office.runs.get, agent.session_id)
        except NotFound:  # the session was deleted
            return []
        entries = await asyncio.to_thread(self._office.runs.tail_transcript, run, lines)
        return [line for entry in entries for line in str(entry.get("text", "")).splitlines()]

    async def _life(self, project_id: str, agent_id: str) -> Alive:
        _, agent = await self._office.agent(project_id, agent_id)
        life = self._office.registry.get(agent_id)
        if life is None:
            raise BadRequest(f"{agent.name} is not running; start it first.")
        return life

    async def _view(self, project_id: str, agent_id: str) -> AgentView:
        project, agent = await self._office.agent(project_id, agent_id)
        return await self._office.agent_view(project, agent)

    async def _save(self, project_id: str, agent: Agent) -> AgentView:
        def put(file: ProjectFile) -> ProjectFile:
            _refuse_double(file.project, file.agents, agent)
            return file.with_agent(agent)

        await asyncio.to_thread(self._office.store.mutate_project, project_id, put)
        self._office.book.name(agent.id, agent.name)
        view = await self._view(project_id, agent.id)
        self._office.hub.publish("org:changed", {"agent": view})
        return view

    async def _note_stop(self, agent: Agent, via: Via) -> None:
        line = AuditLine(
            id=new_id("au"),
            timestamp=stamp(self._office.clock),
            event="agent_stop",
            decision="stop",
            action="ended every process of the agent",
            via=via,
            agent_id=agent.id,
        )
        try:
            await asyncio.to_thread(self._office.store.append_audit, agent.project_id, line)
        except Unavailable as fault:
            raise Unavailable(f"{agent.name} is stopped, but that could not be noted: {fault}") from fault


def _agent_name(name: str) -> str:
    """A name that can be said and shown."""
    folder_name(name)
    return name.strip()


def _refuse_double(project: Project, agents: tuple[Agent, ...], wanted: Agent) -> None:
    if any(same_name(agent.name, wanted.name) and agent.id != wanted.id for agent in agents):
        raise BadRequest(f"{project.name} has an agent called {wanted.name} already; choose another name.")
