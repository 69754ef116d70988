"""Which agents live right now."""

from collections.abc import Iterator
from typing import Protocol

from engine.domain.projects import Agent
from engine.domain.runs import Run
from engine.ports.runtime import Runtime
from engine.sessions.mailbox import Mailbox
from engine.sessions.status import Derived


class Alive(Protocol):
    """One life, as others see it (see :class:`engine.sessions.life.Life`)."""

    agent: Agent
    project_name: str
    run: Run
    runtime: Runtime
    mailbox: Mailbox
    known: Derived

    async def set_state(self, waiting: bool) -> None:
        """Note in run.json that it waits for an answer, or works again."""
        ...


class Registry:
    """The living agents by id; the one place that knows them."""

    def __init__(self) -> None:
        self._lives: dict[str, Alive] = {}

    def get(self, agent_id: str) -> Alive | None:
        return self._lives.get(agent_id)

    def add(self, life: Alive) -> None:
        self._lives[life.agent.id] = life

    def drop(self, life: Alive) -> None:
        """Forget a life; a newer one of the same agent stays."""
        if self._lives.get(life.agent.id) is life:
            del self._lives[life.agent.id]

    def __iter__(self) -> Iterator[Alive]:
        return iter(list(self._lives.values()))
