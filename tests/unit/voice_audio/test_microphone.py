"""Microphones that refuse a rate, offer odd channels, are absent, dead or lost: what is said, and that it goes on."""

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.domain.errors import Unavailable
from engine.ports.clock import FakeClock
from voice.audio.devices import Device, choose, explain_none
from voice.audio.microphone import FrameJoiner, Microphone, MicrophoneState, open_at_some_rate
from voice.frames import FRAME, RATE, Samples

USB = Device(0, "USB Conference: Audio (hw:1,0)", "ALSA", inputs=1, outputs=0, rate=48000, default_input=True)
HDMI = Device(1, "HDMI 0", "ALSA", inputs=0, outputs=8, rate=48000, default_input=True, default_output=True)


class Tone:
    """A stream that gives one block of sound, then whatever ``blocks`` says."""

    def __init__(self, rate: int, blocks: Sequence[Samples], wake: Callable[[], None]) -> None:
        self.rate = rate
        self._blocks, self._wake = list(blocks), wake
        self.closed = False
        wake()

    def take(self) -> list[tuple[float, Samples]]:
        if not self._blocks:
            return []
        self._wake()
        return [(1000.0, self._blocks.pop(0))]

    def close(self) -> None:
        self.closed = True


def noise(seconds: float, rate: int = RATE, level: float = 0.1) -> Samples:
    return np.random.default_rng(1).uniform(-level, level, round(seconds * rate)).astype(np.float32)


def test_a_device_without_16_khz_is_opened_at_its_own_rate() -> None:
    tried: list[tuple[int, int]] = []

    def opener(device: Device, rate: int, channels: int, wake: Callable[[], None]) -> Tone:
        tried.append((rate, channels))
        if rate != 48000:
            raise Unavailable("Error opening InputStream: Invalid sample rate [PaErrorCode -9997]")
        return Tone(rate, [], wake)

    assert open_at_some_rate(USB, opener, lambda: None).rate == 48000
    assert tried[0] == (16000, 1)


def test_when_no_rate_works_the_device_and_the_rates_are_named_in_one_sentence() -> None:
    def opener(device: Device, rate: int, channels: int, wake: Callable[[], None]) -> Tone:
        raise Unavailable("Error opening InputStream: Invalid sample rate [PaErrorCode -9997]")

    with pytest.raises(Unavailable) as refused:
        open_at_some_rate(USB, opener, lambda: None)
    sentence = str(refused.value)
    assert "USB Conference: Audio (hw:1,0)" in sentence
    assert "16000 Hz, 48000 Hz" in sentence
    assert "Traceback" not in sentence and "\n" not in sentence


@pytest.mark.parametrize("offered", [1, 2, 4, 32])
def test_only_channel_counts_that_the_device_offers_are_asked_for(offered: int) -> None:
    device = Device(0, "Mic", "ALSA", inputs=offered, outputs=0, rate=44100)

    def opener(device: Device, rate: int, channels: int, wake: Callable[[], None]) -> Tone:
        assert channels <= offered
        if channels != offered:
            raise Unavailable("Invalid number of channels [PaErrorCode -9998]")
        return Tone(rate, [], wake)

    assert open_at_some_rate(device, opener, lambda: None).rate == RATE


def test_output_only_devices_are_never_chosen_as_microphone() -> None:
    assert choose(None, [HDMI, USB], "microphone") is USB
    assert choose("usb conf", [HDMI, USB], "microphone") is USB
    with pytest.raises(Unavailable, match=r'"HDMI 0" can only play'):
        choose(None, [HDMI], "microphone")
    with pytest.raises(Unavailable, match=r"\"hdmi\" can't be used as a microphone. There are: \"USB"):
        choose("hdmi", [HDMI, USB], "microphone")
    with pytest.raises(Unavailable, match=r'"Blue Yeti" is not there'):
        choose("Blue Yeti", [USB], "microphone")
    assert "no sound device at all" in explain_none("microphone", [])


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 48000, 96000])
def test_frames_have_the_same_length_and_steady_times_at_any_rate(rate: int) -> None:
    joiner, frames = FrameJoiner(rate), []
    block = rate // 50
    for count in range(150):
        frames += joiner.feed(noise(1.0, rate)[:block], ended_at=10.0 + (count + 1) * 0.02)
    assert all(len(frame.samples) == FRAME for frame in frames)
    assert len(frames) * FRAME == pytest.approx(3.0 * RATE, rel=0.05)
    steps = np.diff([frame.at for frame in frames])
    assert steps.min() > 0.0
    assert abs(frames[-1].at - 13.0) < 0.15


class Bench:
    """A microphone over streams that are scripted, one a try."""

    def __init__(self, *scripts: Sequence[Samples] | Exception) -> None:
        self.states: list[MicrophoneState] = []
        self.rates: list[int] = []
        self.streams: list[Tone] = []
        self._scripts = list(scripts)
        self.done = asyncio.Event()
        self.mic = Microphone(
            on_state=self.states.append, clock=FakeClock(), devices=lambda: [USB], open_stream=self._open
        )

    def _open(self, device: Device, rate: int, channels: int, wake: Callable[[], None]) -> Tone:
        self.rates.append(rate)
        if not self._scripts:
            self.done.set()
            raise Unavailable("Device unavailable")
        script = self._scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        self.streams.append(Tone(rate, script, wake))
        return self.streams[-1]

    async def frames(self, wanted: int) -> int:
        count = 0
        async with asyncio.timeout(20), self.mic:
            async for _ in self.mic.frames():
                count += 1
                if count >= wanted:
                    break
        return count

    @property
    def kinds(self) -> list[str]:
        return [state.kind for state in self.states]


async def test_a_dead_stream_is_reopened_at_its_own_rate_and_never_called_listening() -> None:
    still = np.array([0, 1, 0, -1] * 4000, dtype=np.float32) / 32768
    bench = Bench([still] * 6, [np.tile(still, 3)] * 6 + [noise(2.0, 48000)] * 3)
    assert await bench.frames(480) == 480
    assert bench.rates == [16000, 48000]
    assert bench.kinds == ["opening", "dead", "dead", "listening", "closed"]
    assert "perfect silence" in bench.states[1].sentence
    assert bench.streams[0].closed


async def test_a_quiet_room_is_not_a_dead_stream() -> None:
    bench = Bench([noise(1.0, level=0.0005)] * 12)
    await bench.frames(300)
    assert bench.kinds == ["opening", "listening", "closed"]


async def test_a_busy_microphone_is_tried_again_and_said() -> None:
    bench = Bench(*[Unavailable("Device unavailable")] * 8, [noise(1.0)] * 3)
    await bench.frames(20)
    assert bench.kinds == ["opening", "busy", "listening", "closed"]


async def test_a_reader_that_is_cancelled_ends_even_as_sound_comes_in() -> None:
    for _ in range(50):
        bench, begun = Bench([noise(0.064)] * 10_000), asyncio.Event()

        async def read(mic: Microphone, begun: asyncio.Event) -> None:
            async for _ in mic.frames():
                begun.set()
                await asyncio.sleep(0)

        async with bench.mic:
            task = asyncio.create_task(read(bench.mic, begun))
            await begun.wait()
            task.cancel()
            async with asyncio.timeout(5):
                await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()


async def test_a_lost_microphone_is_said_and_taken_up_again() -> None:
    bench = Bench([noise(1.0)], [noise(1.0)] * 3)
    assert await bench.frames(60) == 60
    assert bench.kinds == ["opening", "listening", "lost", "listening", "closed"]
