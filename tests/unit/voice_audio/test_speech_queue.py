"""What is spoken when, and what counts as played, over an output that a test moves by hand."""

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.domain.errors import Unavailable
from engine.ports.clock import FakeClock
from voice.audio.speaker import Played
from voice.frames import Samples
from voice.speak.queue import Say, SpeechQueue, Urgency
from voice.speak.synthesise import Cached, Speech, sentences


class Text:
    """A voice whose sound is as long as its text."""

    name, rate, speed, volume = "text", 1000, 1.0, 1.0

    def __init__(self) -> None:
        self.made: list[str] = []

    def sentence(self, text: str) -> Speech:
        self.made.append(text)
        return Speech(text, np.ones(len(text), dtype=np.float32), self.rate)


class Hand:
    """An output that plays a part when it is told to."""

    def __init__(self, *, broken: bool = False) -> None:
        self.waiting: list[str] = []
        self.came = asyncio.Event()
        self._broken = broken
        self._told: Callable[[Played], None] = lambda played: None

    def listen_to(self, on_played: Callable[[Played], None]) -> None:
        self._told = on_played

    def play(self, sound: Samples, rate: int, tag: str) -> None:
        if self._broken:
            raise Unavailable("There is no speaker.")
        self.waiting.append(tag)
        self.came.set()

    def stop(self) -> None:
        for tag in self.waiting:
            self._told(Played(tag, "dropped", 0.0))
        self.waiting.clear()

    async def part(self) -> str:
        """Wait for a part; it is not played yet."""
        while not self.waiting:
            self.came.clear()
            await self.came.wait()
        return self.waiting[0]

    async def parts(self, count: int) -> None:
        """Wait until ``count`` parts are ready."""
        while len(self.waiting) < count:
            self.came.clear()
            await self.came.wait()

    async def play_one(self) -> None:
        tag = await self.part()
        self.waiting.pop(0)
        self._told(Played(tag, "started", 1.0))
        self._told(Played(tag, "ended", 2.0))

    async def play_all(self, queue: SpeechQueue) -> None:
        idle = asyncio.create_task(queue.idle())
        while not idle.done():
            part = asyncio.create_task(self.part())
            await asyncio.wait({idle, part}, return_when=asyncio.FIRST_COMPLETED)
            if part.done():
                await self.play_one()
            else:
                part.cancel()
                await asyncio.gather(part, return_exceptions=True)


class Log:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def queue(self, voice: Text, output: Hand) -> SpeechQueue:
        return SpeechQueue(
            voice,
            output,
            on_started=lambda name, at: self.lines.append(f"started {name}"),
            on_played=lambda name, at: self.lines.append(f"played {name}"),
            on_dropped=lambda name: self.lines.append(f"dropped {name}"),
            clock=FakeClock(),
        )


async def test_played_comes_after_the_last_sentence_was_out() -> None:
    log, output = Log(), Hand()
    async with log.queue(Text(), output) as queue:
        queue.say(Say("One. Two.", id="a"))
        await output.play_one()
        assert log.lines == ["started a"]
        assert queue.speaking_until == float("inf")
        await output.play_one()
        await queue.idle()
        assert log.lines == ["started a", "played a"]
        assert queue.speaking_until == pytest.approx(1000.25)


async def test_the_next_sentence_is_ready_while_one_plays() -> None:
    output, voice = Hand(), Text()
    async with Log().queue(voice, output) as queue:
        queue.say(Say("One. Two. Three. Four. Five."))
        await output.part()
        await output.parts(2)
        assert len(voice.made) <= 3, "a change of speed must not come five sentences late"
        await output.play_all(queue)
        assert voice.made == ["One.", "Two.", "Three.", "Four.", "Five."]


async def test_what_is_urgent_is_spoken_first_but_cuts_nothing() -> None:
    log, output = Log(), Hand()
    async with log.queue(Text(), output) as queue:
        queue.say(Say("News.", Urgency.NEWS, "first"))
        await output.part()
        for name, urgency in (("news", Urgency.NEWS), ("plan", Urgency.PLAN), ("gate", Urgency.GATE)):
            queue.say(Say("Text.", urgency, name))
        queue.say(Say("Reply.", id="reply"))
        await output.play_all(queue)
    played = [line.removeprefix("played ") for line in log.lines if line.startswith("played")]
    assert played == ["first", "reply", "gate", "plan", "news"]


async def test_stop_drops_all_and_nothing_of_it_counts_as_played() -> None:
    log, output = Log(), Hand()
    async with log.queue(Text(), output) as queue:
        queue.say(Say("One. Two.", id="a"))
        queue.say(Say("Three.", id="b"))
        await output.play_one()
        await output.part()
        assert queue.stop() == ["a", "b"]
        await queue.idle()
        assert log.lines == ["started a", "dropped a", "dropped b"]
        queue.say(Say("Four.", id="c"))
        await output.play_all(queue)
        assert log.lines[-1] == "played c"


async def test_waiting_ones_of_a_kind_are_merged() -> None:
    log, output, voice = Log(), Hand(), Text()

    def merge(said: Sequence[Say]) -> Say:
        return Say(f"{len(said)} agents are waiting.", Urgency.GATE, "merged")

    async with log.queue(voice, output) as queue:
        queue.hold(True)
        for name in ("a", "b", "c"):
            queue.say(Say(f"{name} waits.", Urgency.GATE, name, key="gates", merge=merge))
        queue.hold(False)
        await output.play_all(queue)
    assert voice.made == ["3 agents are waiting."]
    assert log.lines == ["dropped a", "dropped b", "dropped c", "started merged", "played merged"]


async def test_nothing_new_begins_while_the_user_speaks() -> None:
    voice, output = Text(), Hand()
    async with Log().queue(voice, output) as queue:
        queue.hold(True)
        queue.say(Say("One."))
        for _ in range(20):
            await asyncio.sleep(0)
        assert voice.made == []
        queue.hold(False)
        await output.play_all(queue)
        assert voice.made == ["One."]


async def test_without_a_speaker_it_is_dropped_and_the_queue_goes_on() -> None:
    log = Log()
    async with log.queue(Text(), Hand(broken=True)) as queue:
        queue.say(Say("One.", id="a"))
        queue.say(Say("Two.", id="b"))
        await queue.idle()
    assert log.lines == ["dropped a", "dropped b"]


async def test_what_waits_can_be_taken_back() -> None:
    log, output = Log(), Hand()
    async with log.queue(Text(), output) as queue:
        queue.say(Say("One.", id="a"))
        await output.part()
        queue.say(Say("Two.", id="b"))
        assert queue.drop("b")
        assert not queue.drop("a")
        await output.play_all(queue)
    assert log.lines == ["started a", "dropped b", "played a"] or log.lines == ["dropped b", "started a", "played a"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("a: b; c", ["a:", "b;", "c"]),
        ("", []),
        ("Version 1.2.3 is out.", ["Version 1.2.3 is out."]),
    ],
)
def test_text_is_cut_where_a_speaker_breathes(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_a_very_long_sentence_is_cut_and_loses_no_word() -> None:
    text = " ".join(f"word{n}" + ("," if n % 17 == 0 else "") for n in range(300))
    parts = sentences(text)
    assert max(len(part) for part in parts) <= 220
    assert " ".join(parts) == text


def test_a_reply_said_before_is_not_made_again_until_the_speed_changes() -> None:
    voice = Text()
    cached = Cached(voice)
    cached.sentence("Done.")
    cached.sentence("Done.")
    assert voice.made == ["Done."]
    cached.speed = 9.0
    assert cached.speed == 2.5
    cached.sentence("Done.")
    assert voice.made == ["Done.", "Done."]
