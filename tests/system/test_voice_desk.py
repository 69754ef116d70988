"""The conversation against a real engine and the practice agent, with the sound left out: text in, sentences out."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.desk import Desk as Engine

from engine.gates.consent.lexicon import lexicon
from engine.ports.clock import SystemClock
from voice.dialogue import phrasing
from voice.dialogue.inputs import Played, Spoken
from voice.dialogue.requests import Say
from voice.loop.desk import Desk
from voice.loop.settings import VoiceSettings
from voice.understand.intents import Text

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]
LIMIT = 40.0


class Room:
    """A person at the desk: says lines, remembers what was said aloud; everything said is played to its end at once."""

    def __init__(self, home: Path) -> None:
        self.said: list[str] = []
        self.changed = asyncio.Event()
        settings = VoiceSettings.model_validate({"mode": "open", "undo": 0.3})
        self.desk = Desk(
            home,
            settings,
            phrasing.load("en"),
            mouth=self._mouth,
            silence=lambda: None,
            manner=lambda change: None,
            listen=lambda: None,
            score=self._sure,
        )

    def _mouth(self, say: Say, text: str) -> None:
        self.said.append(text)
        self.changed.set()
        if say.id:
            self.desk.tell(Played(say.id))

    def _sure(self, text: str, candidates: tuple[str, ...]) -> dict[str, float]:
        """The sound scores best what was said."""
        spoken = re.findall(r"\w+", text.lower())
        return {word: (-1.0 if word in spoken else -30.0) for word in candidates}

    def say(self, text: str) -> None:
        understood = self.desk.understanding.understand((Text(text),))
        self.desk.tell(Spoken(text, understood, 0.95, SystemClock().boot()))

    async def hear(self, pattern: str, after: int = 0) -> str:
        """Wait until something that fits was said aloud since the ``after``-th sentence."""
        async with asyncio.timeout(LIMIT):
            while True:
                for text in self.said[after:]:
                    if re.search(pattern, text):
                        return text
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def room(home: Path) -> AsyncIterator[Room]:
    made = Room(home)
    task = asyncio.create_task(made.desk.run())
    try:
        async with asyncio.timeout(LIMIT):
            await made.desk.link.connected.wait()
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def word_in(reading: str) -> str:
    found = re.search(r"word is (\w+)", reading)
    assert found and found[1] in lexicon("en").words, reading
    return found[1]


async def test_message_gate_approval_and_refusal_by_words_alone(tmp_path: Path) -> None:
    with Engine(tmp_path / "home") as engine:
        agent: dict[str, Any] = await asyncio.to_thread(engine.practice, tmp_path / "work")
        async with room(tmp_path / "home") as at_desk:
            await asyncio.to_thread(_walk, asyncio.get_running_loop(), at_desk, engine, agent, tmp_path / "work")


def _walk(loop: asyncio.AbstractEventLoop, at: Room, engine: Engine, agent: dict[str, Any], folder: Path) -> None:
    def wait(pattern: str, after: int) -> str:
        return asyncio.run_coroutine_threadsafe(at.hear(pattern, after), loop).result()

    def say(text: str) -> int:
        count = len(at.said)
        loop.call_soon_threadsafe(at.say, text)
        return count

    count = say("what is waiting")
    wait("Nothing waits", count)

    count = say("tell backend to clean up")
    wait("To backend: clean up", count)
    reading = wait(r"word is", count)
    gate = engine.gate(agent["projectId"], agent["id"])
    assert (folder / "build").is_dir()

    count = say("yes")
    wait("decide", count)
    assert engine.agent(agent["projectId"], agent["id"])["pendingGate"]["id"] == gate["id"]

    count = say(f"I approve, {word_in(reading)}")
    wait("Done. backend goes on", count)
    assert not (folder / "build").exists()

    count = say("tell backend to clean up")
    wait(r"word is", count)
    count = say("no")
    wait("Refused", count)
    assert (folder / "build").is_dir()


async def test_engine_that_dies_is_said_once_and_its_return_too(tmp_path: Path) -> None:
    with Engine(tmp_path / "home") as engine:
        await asyncio.to_thread(engine.practice, tmp_path / "work")
        async with room(tmp_path / "home") as at_desk:
            await asyncio.to_thread(engine.kill)
            await at_desk.hear("does not answer")
            await asyncio.to_thread(engine.start)
            await at_desk.hear("is back")
            assert sum("does not answer" in text for text in at_desk.said) == 1
            at_desk.say("what is waiting")
            await at_desk.hear("Nothing waits")
