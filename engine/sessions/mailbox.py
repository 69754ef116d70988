"""Messages to one agent: queued on disk, typed in order when it is ready, at most once."""

import asyncio
import logging

from engine.domain.errors import ConduitError, Conflict
from engine.domain.gates import Via
from engine.domain.runs import Run
from engine.ports.hub import Hub
from engine.ports.runtime import Runtime
from engine.storage.runs import IN_DOUBT, Message, Messages, Runs

_log = logging.getLogger(__name__)


class Mailbox:
    """Owns the order in which one life's messages reach it."""

    def __init__(self, run: Run, runs: Runs, runtime: Runtime, hub: Hub) -> None:
        self._run = run
        self._runs = runs
        self._runtime = runtime
        self._hub = hub
        self._messages: Messages = runs.messages(run)
        self._lock = asyncio.Lock()
        self._waiting = 0

    @property
    def waiting(self) -> int:
        """How many messages are queued."""
        return self._waiting

    async def load(self) -> None:
        """At the start of a life: what was cut off in mid-typing is in doubt, and what waits is counted."""
        async with self._lock:
            for message in await asyncio.to_thread(self._messages.settle):
                await self._note_doubt(message.id)
            await self._count()

    async def post(self, message_id: str, text: str, *, sender: str, via: Via) -> Message:
        """Queue a message on disk, then try to deliver; the same id again returns the first one."""
        await asyncio.to_thread(self._messages.enqueue, message_id, text, sender=sender, via=via)
        await self.deliver()
        message = await asyncio.to_thread(self._messages.get, message_id)
        if message is None:  # only the latest 200 delivered stay
            raise Conflict(f"Message {message_id} was delivered long ago.")
        return message

    async def cancel(self, message_id: str) -> bool:
        """Take a message back; only while it is still queued."""
        cancelled = await asyncio.to_thread(self._messages.cancel, message_id)
        if cancelled:
            await self._count()
            self._tell(message_id, "cancelled")
        return cancelled

    async def deliver(self) -> None:
        """Type what is queued, oldest first, until the agent takes no more."""
        async with self._lock:
            while await self._deliver_one():
                pass
            await self._count()

    async def _count(self) -> None:
        self._waiting = len(await asyncio.to_thread(self._messages.queued))

    async def _deliver_one(self) -> bool:
        message = await asyncio.to_thread(self._messages.take)
        if message is None:
            return False
        try:
            told = await self._runtime.tell(message.text)
        except Conflict:
            told = "not_ready"
        except (ConduitError, OSError) as fault:
            # It may have been typed in part, so it is never typed again; what waits behind it is tried next time.
            _log.error("message %s to %s is in doubt: %s", message.id, self._run.agent_name, fault)
            await asyncio.to_thread(self._messages.mark_in_doubt, message.id)
            await self._note_doubt(message.id)
            return False
        if told == "not_ready":
            await asyncio.to_thread(self._messages.put_back, message.id)
            return False
        await asyncio.to_thread(self._messages.mark_delivered, message.id)
        await asyncio.to_thread(
            self._runs.transcript, self._run, {"role": "user", "sender": message.sender, "text": message.text}
        )
        self._tell(message.id, "delivered")
        return True

    async def _note_doubt(self, message_id: str) -> None:
        await asyncio.to_thread(self._runs.journal, self._run, IN_DOUBT, {"messageId": message_id})
        self._tell(message_id, "in_doubt")

    def _tell(self, message_id: str, state: str) -> None:
        self._hub.publish("message:state", {"messageId": message_id, "agentId": self._run.agent_id, "state": state})
