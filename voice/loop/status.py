"""What the page shows of the voice: told to the engine when it changes, never holding the loop up."""

import asyncio
import contextlib
import logging
from typing import Any

from engine.domain.errors import ConduitError
from voice.loop.link import Link

_log = logging.getLogger(__name__)
_SIGN_OF_LIFE_S = 5.0  # a voice that tells nothing is soon shown as gone
TROUBLE = frozenset(("lost", "busy", "dead", "absent"))
"""States of a microphone that hears nothing and should."""


def doing(ears: str, *, aloud: bool, hearing: bool, asleep: bool) -> str:
    """The ``listening`` of ``VoiceView``: whichever of ears and mouth changed last, the other is not forgotten.

    ``ears``: state of the microphone; ``aloud``: the assistant speaks; ``hearing``: the user does.
    """
    if ears in TROUBLE:
        return "trouble"
    if aloud:
        return "speaking"
    if ears != "listening":
        return "off"
    if hearing:
        return "hearing"
    return "asleep" if asleep else "listening"


class Status:
    """Collects changes; ``run`` sends them, newest values only."""

    def __init__(self, link: Link, mode: str, sign_of_life: float = _SIGN_OF_LIFE_S) -> None:
        """``sign_of_life``: seconds after which it tells again though nothing changed."""
        self._link = link
        self._every = sign_of_life
        self._fields: dict[str, Any] = {"connected": True, "mode": mode, "listening": "off", "note": None}
        self._changed = asyncio.Event()

    def set(self, **fields: Any) -> None:
        """Change fields of ``VoiceView`` (snake_case)."""
        if any(self._fields.get(name) != value for name, value in fields.items()):
            self._fields.update(fields)
            self._changed.set()

    def again(self) -> None:
        """Send everything again: the engine is another one."""
        self._changed.set()

    async def run(self) -> None:
        """Send until cancelled; an engine that does not answer gets it when it is back."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._changed.wait()
            self._changed.clear()
            client = self._link.client
            if client is None:
                continue
            try:
                await asyncio.to_thread(client.voice_state, **self._fields)
            except ConduitError as error:
                _log.info("The page was not told the voice's state: %s", error)
