"""A German desk: synthesised speech through the real recogniser, a real engine, German answers, German consent."""

import asyncio
import io
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from support.desk import Desk as Engine
from support.desk import until

from engine.gates.consent.lexicon import lexicon
from engine.ports.clock import SystemClock
from voice.cli.hearing import hear_samples
from voice.dialogue import phrasing
from voice.dialogue.inputs import Played, Spoken
from voice.dialogue.requests import Say
from voice.frames import RATE, Samples, Transcript
from voice.listen.transcribe import WhisperRecogniser
from voice.listen.vad import Vad
from voice.loop.desk import Desk
from voice.loop.settings import load_settings
from voice.understand.intents import Text

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]
LIMIT = 40.0
VOICE = "de+f2"


@pytest.fixture(scope="module")
def recogniser() -> WhisperRecogniser:
    return WhisperRecogniser.load("base", language="de")


@cache
def spoken(text: str) -> Samples:
    """A robot's German at 16 kHz, with silence around it."""
    said = subprocess.run(
        ["espeak-ng", "-v", VOICE, "-s", "115", "--stdin", "--stdout"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    sound, rate = soundfile.read(io.BytesIO(said.stdout), dtype="float32")
    sound = soxr.resample(sound, rate, RATE)
    quiet = np.zeros(RATE // 2, dtype=np.float32)
    return np.concatenate([quiet, (sound * 0.5 / np.abs(sound).max()).astype(np.float32), quiet])


class Room:
    """A person at a German desk; everything that is said aloud is played to its end at once."""

    def __init__(self, home: Path, recogniser: WhisperRecogniser) -> None:
        self.said: list[str] = []
        self.changed = asyncio.Event()
        self._recogniser = recogniser
        settings = load_settings(home)
        self.desk = Desk(
            home,
            settings.model_copy(update={"mode": "open", "undo": 0.3}),
            phrasing.load(settings.language),
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
        words = re.findall(r"\w+", text.casefold())
        return {word: (-1.0 if word in words else -30.0) for word in candidates}

    async def speak(self, text: str) -> Transcript:
        """``text`` as sound through the ears; returns what they made of it."""
        examples = self.desk.examples()
        heard = await asyncio.to_thread(hear_samples, spoken(text), self._recogniser, Vad(), examples)
        transcript = heard.transcript
        if transcript.rejected is None:
            understood = self.desk.understanding.understand(transcript.hypotheses)
            self.desk.tell(Spoken(transcript.text, understood, transcript.confidence, SystemClock().boot()))
        return transcript

    def say(self, text: str) -> int:
        """``text`` as words; returns how much was said aloud before."""
        understood = self.desk.understanding.understand((Text(text),))
        self.desk.tell(Spoken(text, understood, 0.95, SystemClock().boot()))
        return len(self.said)

    async def hear(self, pattern: str, after: int = 0) -> str:
        """Wait until something that fits was said aloud since the ``after``-th sentence."""
        async with asyncio.timeout(LIMIT):
            while True:
                for text in self.said[after:]:
                    if re.search(pattern, text):
                        return text
                self.changed.clear()
                await self.changed.wait()

    async def read_out(self, after: int = 0) -> str:
        """Wait for a reading with a one-time word, and until the engine has taken it as read; returns the word."""
        reading = await self.hear(r"Das Wort ist \w+", after)
        await asyncio.to_thread(until, lambda: self.desk.state.phase == "deciding", "the reading to be known as played")
        found = re.search(r"Wort ist (\w+)", reading)
        assert found and found[1] in lexicon("de").words
        assert "Der Befehl lautet" in reading and "löscht" in reading
        return found[1]


@asynccontextmanager
async def room(home: Path, recogniser: WhisperRecogniser) -> AsyncIterator[Room]:
    made = Room(home, recogniser)
    task = asyncio.create_task(made.desk.run())
    try:
        async with asyncio.timeout(LIMIT):
            await made.desk.link.connected.wait()
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    settings = tmp_path / "home" / "config" / "settings.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("voice: {language: de}\n", "utf-8")
    return tmp_path / "home"


SPOKEN = [
    ("Wie läuft Backend?", r"Backend|backend"),
    ("Status von Apollo.", r"Apollo: backend"),
    ("Lies es vor.", r"Nichts wartet auf dich"),
    ("Sag Backend, es soll die Tests laufen lassen.", r"An backend: die Tests laufen lassen"),
    ("Starte Backend neu.", r"Ich starte backend in Apollo neu"),
]


async def test_german_commands_that_are_spoken_are_answered_in_german(
    home: Path, tmp_path: Path, recogniser: WhisperRecogniser
) -> None:
    with Engine(home) as engine:
        await asyncio.to_thread(engine.practice, tmp_path / "work")
        async with room(home, recogniser) as at_desk:
            for text, answer in SPOKEN:
                count = len(at_desk.said)
                transcript = await at_desk.speak(text)
                assert transcript.rejected is None, transcript
                await at_desk.hear(answer, count)


async def test_german_gate_is_read_and_decided_in_german(
    home: Path, tmp_path: Path, recogniser: WhisperRecogniser
) -> None:
    folder = tmp_path / "work"
    with Engine(home) as engine:
        agent: dict[str, Any] = await asyncio.to_thread(engine.practice, folder)
        async with room(home, recogniser) as at_desk:
            at_desk.say("Sag Backend clean up")
            word = await at_desk.read_out()
            gates = [agent["projectId"], agent["id"]]
            for no_approval in ("Ja", f"Vielleicht genehmige ich, {word}", f"I approve, {word}"):
                count = at_desk.say(no_approval)
                await at_desk.hear(r"Nichts|entscheidet", count)
                assert (await asyncio.to_thread(engine.agent, *gates))["pendingGate"]
            assert (folder / "build").is_dir()

            count = at_desk.say("Lies es vor")
            word = await at_desk.read_out(count)
            count = at_desk.say(f"Ich genehmige, {word}")
            await at_desk.hear("Erledigt. backend macht weiter", count)
            assert not (folder / "build").exists()

            count = at_desk.say("Sag Backend clean up")
            await at_desk.read_out(count)
            count = at_desk.say("Nein")
            await at_desk.hear("Abgewiesen", count)
            assert (folder / "build").is_dir()
