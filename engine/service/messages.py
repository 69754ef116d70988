"""Messages to agents: one, or to all of a project; taken back while they still wait."""

import asyncio
from typing import Any, Literal

from engine.domain import views
from engine.domain.chat import ChatEntry
from engine.domain.errors import BadRequest
from engine.domain.gates import Via
from engine.domain.ids import new_id
from engine.domain.projects import Agent
from engine.domain.wire import InjectResult
from engine.ports.clock import stamp
from engine.service.office import Office
from engine.service.roster import pick
from engine.sessions.registry import Alive

LONGEST_MESSAGE = 100_000  # characters


class MessageService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def inject(
        self, *, project: str, agent: str, message: str, message_id: str | None = None, via: Via = "cli"
    ) -> InjectResult:
        """Say something to a running agent. On disk before this returns; the same id again sends nothing twice."""
        check_message(message)
        _, found = await self._office.find(project, agent)
        return await self.send(found, message, message_id or new_id("m"), via=via)

    async def send(self, agent: Agent, message: str, message_id: str, *, via: Via, sender: str = "you") -> InjectResult:
        """The same for an agent that is known already."""
        life = self._ready(agent)
        posted = await life.mailbox.post(message_id, message, sender=sender, via=via)
        state: Literal["delivered", "queued"] = "delivered" if posted.state == "delivered" else "queued"
        return {"messageId": posted.id, "state": state}

    async def cancel_message(self, *, message_id: str) -> dict[str, bool]:
        """Take a message back; false when it was typed already, or is not known."""
        for life in self._office.registry:
            if await life.mailbox.cancel(message_id):
                return {"cancelled": True}
        return {"cancelled": False}

    async def broadcast(self, *, project: str, message: str, via: Via) -> dict[str, Any]:
        """Say the same to every running agent of a project; refused while a gate of it is open."""
        check_message(message)
        files = await self._office.files()
        found = pick([file.project for file in files], project, what="project")
        agents = next(file.agents for file in files if file.project.id == found.id)
        for agent in agents:
            self._refuse_at_gate(agent)
        running = [agent for agent in agents if self._office.registry.get(agent.id) is not None]
        if not running:
            raise BadRequest(f"No agent of {found.name} is running; start one first.")
        await self._note(found.id, message)
        sent = [(agent, await self.send(agent, message, new_id("m"), via=via)) for agent in running]
        return {"results": [{"agent": agent.name, **result} for agent, result in sent]}

    def _ready(self, agent: Agent) -> Alive:
        self._refuse_at_gate(agent)
        life = self._office.registry.get(agent.id)
        if life is None:
            raise BadRequest(f"{agent.name} is not running; start it first, then send the message.")
        return life

    def _refuse_at_gate(self, agent: Agent) -> None:
        gates = self._office.book.queue(agent.id)
        if gates:
            raise BadRequest(
                f"{agent.name} waits at gate {gates[0].id}, so a message now would be its answer; decide it first."
            )

    async def _note(self, project_id: str, text: str) -> None:
        entry = ChatEntry(id=new_id("c"), ts=stamp(self._office.clock), role="user", sender="you", text=text)
        await asyncio.to_thread(self._office.store.append_chat, project_id, entry)
        view = views.chat_views([entry])[0]
        self._office.hub.publish("groupchat:message", {"projectId": project_id, "entry": view})


def check_message(message: str) -> None:
    """BadRequest for a message that can't be sent."""
    if not message.strip():
        raise BadRequest("The message is empty; say what the agent should do.")
    if len(message) > LONGEST_MESSAGE:
        raise BadRequest(
            f"The message has {len(message):,} characters, more than {LONGEST_MESSAGE:,}; "
            "put it in a file and name the file instead."
        )
