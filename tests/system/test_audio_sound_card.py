"""The real chain on a virtual sound card: microphone to words, words to speaker, and a sound server that dies."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from soundcard import SoundCard, boot

from voice.audio.files import to_mono_16k
from voice.audio.microphone import Microphone, MicrophoneState
from voice.audio.speaker import Speaker
from voice.listen.hearing import Heard, Hearing
from voice.listen.listener import Listener
from voice.listen.transcribe import WhisperRecogniser
from voice.listen.vad import Vad
from voice.speak.queue import Say, SpeechQueue, Urgency
from voice.speak.synthesise import Cached, load_synthesiser

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def card() -> Iterator[SoundCard]:
    with SoundCard() as card:
        names = [name for name in card.env if name.startswith("PULSE")]
        before = {name: os.environ.get(name) for name in names}
        os.environ.update({name: card.env[name] for name in names})
        yield card
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


@pytest.fixture(scope="module")
def voice() -> Cached:
    return load_synthesiser()


@pytest.fixture(scope="module")
def recogniser() -> WhisperRecogniser:
    made = WhisperRecogniser.load("tiny.en")
    made.warm_up()
    return made


@pytest.fixture
async def hearing(recogniser: WhisperRecogniser) -> AsyncIterator[Hearing]:
    async with Hearing(Listener(Vad()), recogniser, lambda found: "complete") as hearing:
        yield hearing


class States:
    """What the microphone told of itself, to wait for."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self._changed = asyncio.Event()

    def __call__(self, state: MicrophoneState) -> None:
        self.kinds.append(state.kind)
        self._changed.set()

    async def wait_for(self, *kinds: str, seconds: float = 40.0) -> None:
        """Until the latest state is one of ``kinds``."""
        async with asyncio.timeout(seconds):
            while not self.kinds or self.kinds[-1] not in kinds:
                self._changed.clear()
                await self._changed.wait()


async def test_a_spoken_command_is_heard_with_its_true_times(card: SoundCard, voice: Cached, hearing: Hearing) -> None:
    speech = voice.sentence("What is waiting for me?")
    states = States()
    heard: list[Heard] = []
    async with Microphone(on_state=states) as mic:

        async def listen() -> None:
            async for event in hearing.hear(mic.frames()):
                if isinstance(event, Heard):
                    heard.append(event)
                    return

        task = asyncio.create_task(listen())
        await states.wait_for("listening")
        spoken = await asyncio.to_thread(card.say, speech.samples * 0.5, speech.rate)
        async with asyncio.timeout(20):
            await task
    assert "waiting for me" in heard[0].transcript.text.lower()
    assert heard[0].transcript.rejected is None
    assert abs(heard[0].utterance.began_at - spoken.began_at) < 0.25
    assert abs(heard[0].utterance.ended_at - spoken.ended_at) < 0.35


async def test_played_is_told_only_after_the_last_sample_was_out(card: SoundCard, voice: Cached) -> None:
    played: list[tuple[str, float, float]] = []
    async with Speaker() as speaker:
        queue = SpeechQueue(voice, speaker, on_played=lambda name, at: played.append((name, at, boot())))
        async with queue:
            begun = boot()
            queue.say(Say("The word is banana. It is a short one.", Urgency.GATE, id="r1"))
            await queue.idle()
    card.speaker.wait_for_quiet()
    last = card.speaker.last_sound_after(begun)
    assert last is not None
    assert [name for name, _, _ in played] == ["r1"]
    assert played[0][2] > last - 0.06, "told before the sound was over"
    assert played[0][2] < last + 1.0


async def test_stop_is_silent_at_once_and_nothing_counts_as_played(card: SoundCard, voice: Cached) -> None:
    played: list[str] = []
    dropped: list[str] = []
    text = "This is a long sentence that goes on and on, and on, and on, until somebody has had enough of it. And more."
    async with Speaker() as speaker:
        queue = SpeechQueue(
            voice, speaker, on_played=lambda name, at: played.append(name), on_dropped=lambda name: dropped.append(name)
        )
        async with queue:
            begun = boot()
            queue.say(Say(text, id="long"))
            queue.say(Say("Never heard.", id="after"))
            await asyncio.to_thread(card.speaker.wait_for_sound, begun)
            await asyncio.sleep(0.5)
            stopped = boot()
            queue.stop()
            await queue.idle()
            await asyncio.to_thread(card.speaker.wait_for_quiet)
    last = card.speaker.last_sound_after(begun)
    assert last is not None
    assert last - stopped < 0.1
    assert (played, dropped) == ([], ["long", "after"])


async def test_a_server_that_was_told_to_hold_little_takes_sentence_after_sentence(
    card: SoundCard, voice: Cached, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_LATENCY_MSEC", "20")
    states: list[str] = []
    played: list[str] = []
    async with Speaker(on_state=states.append) as speaker:
        queue = SpeechQueue(voice, speaker, on_played=lambda name, at: played.append(name))
        async with queue:
            for number in range(8):
                queue.say(Say("The gate is open.", id=f"s{number}"))
            await queue.idle()
    assert played == [f"s{number}" for number in range(8)]
    assert len(states) == 1, states  # opened once, never again


async def test_a_dead_sound_server_is_said_and_listening_comes_back() -> None:
    states = States()
    frames, enough_frames, enough = 0, 10**9, asyncio.Event()
    with SoundCard() as card:
        kept = {name: os.environ.get(name) for name in card.env if name.startswith("PULSE")}
        os.environ.update({name: card.env[name] for name in kept})
        try:
            async with Microphone(on_state=states) as mic:

                async def count() -> None:
                    nonlocal frames
                    async for _ in mic.frames():
                        frames += 1
                        if frames >= enough_frames:
                            enough.set()

                task = asyncio.create_task(count())
                await states.wait_for("listening")
                await asyncio.to_thread(card.kill_server)
                await states.wait_for("lost", "busy", "absent")
                await asyncio.to_thread(card.restart)
                await states.wait_for("listening")
                enough_frames = frames + 20
                async with asyncio.timeout(10):
                    await enough.wait()
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    assert states.kinds[-1] == "closed"


def test_the_card_tapes_what_is_said(card: SoundCard) -> None:
    tone = (0.3 * np.sin(np.arange(8000) * 0.2)).astype(np.float32)
    spoken = card.say(tone)
    assert spoken.ended_at - spoken.began_at == pytest.approx(0.5, abs=0.01)
    assert to_mono_16k(card.mic.samples_since(spoken.began_at)[1], 16000).max() > 0.2
