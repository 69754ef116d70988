"""The package's connection, spoken over a holder's pipes: only answers to this engine's own requests reach it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable

from engine.runtimes.jsonlines import Json

Write = Callable[[Json], Awaitable[None]]


class Lines:
    """Implements the package's ``Transport``.

    Ids go out as ``<mark>.<number>.<method>``: an answer that comes after a restart of the engine is not taken for one
    of a new request, and still says what it answers.
    """

    def __init__(self, write: Write) -> None:
        self.mark = secrets.token_hex(4)
        self._write = write
        self._answers: asyncio.Queue[Json | None] = asyncio.Queue()

    async def send(self, message: Json) -> None:
        """Write one message of the package."""
        if "method" in message and "id" in message:
            message = {**message, "id": f"{self.mark}.{message['id']}.{message['method']}"}
        await self._write(message)

    async def receive(self) -> Json | None:
        """The next answer; None at the end."""
        return await self._answers.get()

    async def close(self) -> None:
        """The end of the connection, not of the agent."""
        self._answers.put_nowait(None)

    def answer(self, message: Json) -> str | None:
        """Take one answer of the agent; the method that it answers when an earlier engine asked, else None."""
        mark, _, rest = str(message.get("id")).partition(".")
        number, _, method = rest.partition(".")
        if mark != self.mark:
            return method
        self._answers.put_nowait({**message, "id": int(number)})
        return None

    def over(self) -> None:
        """The agent ended: whatever still waits is told so."""
        self._answers.put_nowait(None)
