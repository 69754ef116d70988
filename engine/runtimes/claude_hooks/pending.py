"""Hooks that wait for an answer: one open HTTP request each."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.domain.gates import Question


@dataclass(frozen=True, slots=True)
class HookReply:
    """The body of a hook's response. ``sent`` is set once it has been written to the connection."""

    body: Mapping[str, Any]
    sent: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False, slots=True)
class Pending:
    """A permission request. ``closed``: the CLI let go of its connection; ``seen``: its dialog stood on the screen."""

    handle: str
    call: str
    question: Question
    reply: asyncio.Future[HookReply]
    closed: bool = False
    seen: bool = False

    @property
    def takes_reply(self) -> bool:
        """Whether an answer by the connection can still arrive."""
        return not self.closed and not self.reply.done()


class PendingHooks:
    """All of one agent's, by handle."""

    def __init__(self, run_id: str) -> None:
        self._mark = run_id[-6:]
        self._numbers = itertools.count(1)
        self._open: dict[str, Pending] = {}

    def handle(self) -> str:
        """A name for the next request."""
        return f"hook-{self._mark}-{next(self._numbers)}"

    def add(self, handle: str, call: str, question: Question) -> Pending:
        """A request that has just come."""
        pending = Pending(handle, call, question, asyncio.get_running_loop().create_future())
        self._open[handle] = pending
        return pending

    def get(self, handle: str | None) -> Pending | None:
        return None if handle is None else self._open.get(handle)

    def drop(self, pending: Pending) -> None:
        """It is over."""
        self._open.pop(pending.handle, None)

    def release(self) -> None:
        """Answer all with no decision: their dialogs stay on the screen."""
        for pending in list(self._open.values()):
            if not pending.reply.done():
                pending.reply.set_result(HookReply({}))

    def __iter__(self) -> "itertools.chain[Pending]":
        return itertools.chain(list(self._open.values()))
