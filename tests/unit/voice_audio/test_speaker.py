"""A loudspeaker that stalls: a part that began is played anew from its beginning, and is told of once."""

import asyncio
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.domain.errors import Unavailable
from engine.ports.clock import FakeClock
from voice.audio.devices import LEAST_LATENCY_MS, Device, sound_library
from voice.audio.output import LATENCY
from voice.audio.speaker import Played, Speaker

DEVICE = Device(0, "box", "ALSA", 0, 2, 16_000, default_output=True)
SOUND = np.linspace(-0.5, 0.5, 300, dtype=np.float32)


class Yielding(FakeClock):
    """Sleeping moves the clock and lets others run."""

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)


class Box:
    """Streams by number; ``heard`` is what each took. A stream takes sound only when a test lets it."""

    def __init__(self, rates: tuple[int, ...] = (16_000,), opens: int = 100) -> None:
        self.heard: list[list[float]] = []
        self.closed: list[int] = []
        self.cut: list[int] = []
        self.latencies: list[float] = []
        self._fills: list[Callable[..., None]] = []
        self._rates, self._opens = rates, opens
        self.opened = asyncio.Event()

    def open(self, device: Device, rate: int, fill: Callable[..., None], latency: float) -> tuple[Any, int]:
        self.latencies.append(latency)
        if len(self._fills) >= self._opens:
            raise Unavailable("There is no speaker.")
        number = len(self._fills)
        self._fills.append(fill)
        self.heard.append([])
        self.opened.set()
        closing = SimpleNamespace(
            latency=0.0,
            close=lambda: self.closed.append(number),
            abort=lambda ignore_errors: self.cut.append(number),
        )
        return closing, self._rates[min(number, len(self._rates) - 1)]

    def take(self, count: int) -> None:
        """The newest stream takes ``count`` samples."""
        out = np.zeros((count, 1), dtype=np.float32)
        self._fills[-1](out, count, SimpleNamespace(outputBufferDacTime=0.0, currentTime=0.0), None)
        self.heard[-1] += out[:, 0].tolist()

    async def pass_time(self, speaker: Speaker, seconds: float) -> None:
        """Time passes on the speaker's clock, without its watch."""
        clock: Any = speaker._clock
        clock.advance(seconds)
        await asyncio.sleep(0)

    async def another(self) -> None:
        """Until one more stream is open."""
        self.opened.clear()
        async with asyncio.timeout(10):
            await self.opened.wait()


class Told:
    """What the speaker told, to wait for."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self._over = asyncio.Event()

    def __call__(self, played: Played) -> None:
        self.kinds.append(played.kind)
        if played.kind != "started":
            self._over.set()

    async def over(self) -> None:
        async with asyncio.timeout(10):
            await self._over.wait()


def speaker_of(box: Box) -> tuple[Speaker, Told]:
    speaker = Speaker(clock=Yielding(), devices=lambda: [DEVICE], open_stream=box.open)
    told = Told()
    speaker.listen_to(told)
    return speaker, told


async def test_part_that_stalled_half_way_is_played_whole_on_a_fresh_stream_and_ends_once() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker:
        speaker.play(SOUND, 16_000, "a")
        box.take(100)
        await box.another()
        box.take(400)
        await told.over()
    assert box.heard[1][:300] == SOUND.tolist()
    assert box.closed == [0, 1]
    assert told.kinds.count("ended") == 1 and "dropped" not in told.kinds


async def test_sound_that_a_server_swallows_after_a_gap_is_played_anew_and_not_told_as_played() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    long = np.tile(SOUND, 160)  # 3 s
    async with speaker:
        speaker.play(long, 16_000, "a")
        box.take(320)
        await box.pass_time(speaker, 1.0)
        for _ in range(150):  # all of it at once
            box.take(320)
        assert told.kinds.count("ended") == 0
        await box.another()
        for _ in range(160):
            box.take(320)
            await box.pass_time(speaker, 0.02)
        await told.over()
    assert box.heard[1][: len(long)] == long.tolist()
    assert told.kinds.count("ended") == 1


async def test_stop_throws_away_what_a_device_with_much_room_still_holds() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    long = np.tile(SOUND, 160)
    async with speaker:
        speaker.play(long, 16_000, "a")
        box.take(6400)  # 0.4 s at once
        speaker.stop()
        speaker.play(SOUND, 16_000, "b")
        box.take(400)
    assert box.cut == [0]
    assert box.heard[1][:300] == SOUND.tolist()
    assert told.kinds[0] == "dropped" and "ended" not in told.kinds


async def test_stop_keeps_a_stream_that_holds_little() -> None:
    box = Box()
    speaker, _ = speaker_of(box)
    async with speaker:
        speaker.play(np.tile(SOUND, 160), 16_000, "a")
        box.take(640)
        speaker.stop()
        box.take(640)
        assert box.cut == []
    assert not any(box.heard[0][640:])


async def test_fresh_stream_of_another_rate_gets_the_part_at_its_own_rate() -> None:
    box = Box(rates=(16_000, 32_000))
    speaker, told = speaker_of(box)
    async with speaker:
        speaker.play(SOUND, 16_000, "a")
        await box.another()
        box.take(700)
        await told.over()
    assert 590 <= int(np.flatnonzero(box.heard[1])[-1]) + 1 <= 610


async def test_speaker_with_gaps_gets_more_room_before_the_next_sentence() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker, asyncio.timeout(10):
        speaker.play(SOUND, 16_000, "a")
        box.take(100)
        await box.pass_time(speaker, 0.5)
        box.take(400)
        await told.over()
        while not box.closed:  # noqa: ASYNC110 - the clock moves with every round
            await asyncio.sleep(0)
        speaker.play(SOUND, 16_000, "b")
    assert box.latencies == [LATENCY, 2 * LATENCY]
    assert "dropped" not in told.kinds[:2]


async def test_gaps_within_a_reading_give_more_room_from_its_next_sentence_on() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker, asyncio.timeout(10):
        speaker.play(SOUND, 16_000, "a")
        speaker.play(SOUND, 16_000, "b")
        box.take(100)
        await box.pass_time(speaker, 0.5)
        box.take(800)
        assert box.heard[0][100:300] == SOUND[100:].tolist()
        assert not any(box.heard[0][300:]), "the next sentence waits for the better stream"
        await told.over()
        await box.another()
        box.take(400)
    assert box.heard[1][:300] == SOUND.tolist()
    assert box.latencies == [LATENCY, 2 * LATENCY]


async def test_speaker_that_never_takes_sound_again_gives_up_and_says_that_it_was_not_played() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker:
        speaker.play(SOUND, 16_000, "a")
        await told.over()
    assert told.kinds == ["dropped"]
    assert len(box.heard) == 5
    assert box.latencies == [LATENCY, 2 * LATENCY, 4 * LATENCY, 0.32, 0.32]


async def test_speaker_that_is_gone_when_it_is_opened_again_drops_the_part() -> None:
    box = Box(opens=1)
    speaker, told = speaker_of(box)
    async with speaker:
        speaker.play(SOUND, 16_000, "a")
        await told.over()
    assert told.kinds == ["dropped"]


async def test_stream_that_stalls_while_nothing_is_said_is_fresh_for_the_next_sentence() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker, asyncio.timeout(10):
        speaker.play(SOUND, 16_000, "a")
        box.take(400)
        await told.over()
        while not box.closed:  # noqa: ASYNC110 - the clock moves with every round
            await asyncio.sleep(0)
        speaker.play(SOUND, 16_000, "b")
        box.take(400)
    assert box.heard[1][:300] == SOUND.tolist()


def test_sound_server_told_to_hold_less_than_a_buffer_is_told_to_hold_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for wished, used in (("20", str(LEAST_LATENCY_MS)), ("90", "90"), ("soon", "soon")):
        monkeypatch.setenv("PULSE_LATENCY_MSEC", wished)
        sound_library()
        assert os.environ["PULSE_LATENCY_MSEC"] == used


async def test_speaker_with_nothing_to_say_is_closed_and_opens_again_for_the_next_sentence() -> None:
    box = Box()
    speaker, told = speaker_of(box)
    async with speaker, asyncio.timeout(10):
        speaker.play(SOUND, 16_000, "a")
        box.take(400)
        await told.over()
        while not box.closed:
            box.take(16)  # the device goes on asking
            await asyncio.sleep(0)
        speaker.play(SOUND, 16_000, "b")
        box.take(400)
    assert box.heard[1][:300] == SOUND.tolist()


async def test_stream_that_is_being_closed_takes_nothing_of_what_is_said_next() -> None:
    box = Box()
    speaker, _ = speaker_of(box)
    async with speaker:
        speaker.open(16_000)
        old = box._fills[-1]
        await speaker._close_aside()
        speaker.play(SOUND, 16_000, "a")
        out = np.ones((400, 1), dtype=np.float32)
        old(out, 400, SimpleNamespace(outputBufferDacTime=0.0, currentTime=0.0), None)
        box.take(400)
    assert not out.any()
    assert box.heard[1][:300] == SOUND.tolist()
