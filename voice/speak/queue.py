"""What waits to be spoken: by urgency, merged, sentence by sentence, the next one made while one plays.

``on_played`` comes only for what was played to the end of its last sample; everything else is ``on_dropped``.
"""

import asyncio
import itertools
import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import IntEnum

from engine.domain.errors import ConduitError
from engine.ports.clock import Clock, SystemClock
from voice.audio.speaker import Output, Played
from voice.speak.synthesise import Speech, Synthesiser, sentences

_log = logging.getLogger(__name__)
TAIL_SECONDS = 0.25
"""How long a room goes on sounding after the last sample: so long nothing is heard as the user's."""


class Urgency(IntEnum):
    """What is spoken first; the lower the number the sooner."""

    REPLY = 0
    GATE = 1
    PLAN = 2
    NEWS = 3


@dataclass(frozen=True)
class Say:
    """One thing to say. Waiting ones of the same ``key`` are handed to ``merge``, which makes one of them."""

    text: str
    urgency: Urgency = Urgency.REPLY
    id: str = ""
    key: str | None = None
    merge: "Callable[[Sequence[Say]], Say] | None" = None
    before: Speech | None = None
    """A short sound to play first."""


@dataclass(order=True)
class _Waiting:
    urgency: int
    order: int
    say: Say = field(compare=False)


def _nothing(*_: object) -> None:
    """Nobody wants to know."""


class SpeechQueue:
    """Owns the task that speaks and the thread that synthesises; ``async with`` it."""

    def __init__(
        self,
        voice: Synthesiser,
        speaker: Output,
        *,
        on_played: Callable[[str, float], None] = _nothing,
        on_started: Callable[[str, float], None] = _nothing,
        on_dropped: Callable[[str], None] = _nothing,
        clock: Clock | None = None,
    ) -> None:
        self._voice = voice
        self._speaker = speaker
        self._on_played, self._on_started, self._on_dropped = on_played, on_started, on_dropped
        self._clock: Clock = clock or SystemClock()
        self._waiting: list[_Waiting] = []
        self._numbers = itertools.count()
        self._wake = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._held = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="synthesiser")
        self._task: asyncio.Task[None] | None = None
        self._turn = 0
        self._fates: dict[str, asyncio.Future[Played]] = {}
        self.now: Say | None = None
        """What is being spoken."""
        self.speaking_until = -math.inf
        """Boot time until which the microphone hears the assistant; ``math.inf`` while it speaks."""

    async def __aenter__(self) -> "SpeechQueue":
        self._speaker.listen_to(self._fate)
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.to_thread(self._thread.shutdown)

    def say(self, say: Say) -> str:
        """Queue it; returns its id (a fresh one if it had none)."""
        number = next(self._numbers)
        named = say if say.id else Say(say.text, say.urgency, f"say-{number}", say.key, say.merge, say.before)
        self._waiting.append(_Waiting(named.urgency, number, named))
        self._waiting.sort()
        self._quiet.clear()
        self._wake.set()
        return named.id

    def stop(self) -> list[str]:
        """Silent at once; what was spoken or waited is dropped, and its ids are returned."""
        dropped = [one.say.id for one in self._waiting]
        if self.now is not None:
            dropped.insert(0, self.now.id)
        self._waiting.clear()
        self._turn += 1
        self._speaker.stop()
        for say_id in dropped:
            self._on_dropped(say_id)
        return dropped

    def drop(self, say_id: str) -> bool:
        """Take back something that still waits; False when it is being spoken or unknown."""
        kept = [one for one in self._waiting if one.say.id != say_id]
        found = len(kept) < len(self._waiting)
        self._waiting = kept
        if found:
            self._on_dropped(say_id)
        return found

    def hold(self, held: bool) -> None:
        """While held (the user is speaking) nothing new is begun."""
        self._held = held
        self._wake.set()

    @property
    def busy(self) -> bool:
        """Whether something is spoken or waits."""
        return self.now is not None or bool(self._waiting)

    async def idle(self) -> None:
        """Wait until nothing is spoken and nothing waits."""
        await self._quiet.wait()

    async def prepare(self, texts: Sequence[str]) -> None:
        """Synthesise frequent replies ahead, into the voice's memory."""
        for text in texts:
            for part in sentences(text):
                await self._make(part)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting and not self._held:
                say = self._next()
                self.now, turn = say, self._turn
                self.speaking_until = math.inf
                try:
                    await self._speak(say, turn)
                finally:
                    self.now = None
                    self.speaking_until = self._clock.boot() + TAIL_SECONDS
            if not self._waiting:
                self._quiet.set()

    def _next(self) -> Say:
        first = self._waiting.pop(0).say
        alike = [one for one in self._waiting if first.key is not None and one.say.key == first.key]
        if not alike or first.merge is None:
            return first
        self._waiting = [one for one in self._waiting if one not in alike]
        merged = first.merge([first, *(one.say for one in alike)])
        for say in (first, *(one.say for one in alike)):
            if say.id != merged.id:
                self._on_dropped(say.id)
        return merged

    async def _speak(self, say: Say, turn: int) -> None:
        """All sentences of ``say``, each made while the one before plays; ends when the last sample is out."""
        fates: list[asyncio.Future[Played]] = []
        try:
            if say.before is not None:
                fates.append(self._play(say.before, f"{say.id}/{turn}/0"))
            for number, part in enumerate(sentences(say.text), start=len(fates)):
                speech = await self._make(part)
                if turn != self._turn:
                    return  # stopped while it was made
                fates.append(self._play(speech, f"{say.id}/{turn}/{number}"))
                await self._not_too_far_ahead(fates)
            played = [await fate for fate in fates]
        except ConduitError as error:
            _log.warning("Could not say it: %s", error)
            self._on_dropped(say.id)
            return
        if turn != self._turn:
            return  # on_dropped has been told by stop
        if played and all(one.kind == "ended" for one in played):
            self._on_played(say.id, played[-1].at)
        else:
            self._on_dropped(say.id)

    async def _not_too_far_ahead(self, fates: Sequence[asyncio.Future[Played]]) -> None:
        """One sentence plays, one is ready: more would only make a change of speed or a stop late."""
        if len(fates) > 2:
            await fates[-3]

    async def _make(self, text: str) -> Speech:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._voice.sentence, text)

    def _play(self, speech: Speech, tag: str) -> "asyncio.Future[Played]":
        fate: asyncio.Future[Played] = asyncio.get_running_loop().create_future()
        if not len(speech.samples):
            fate.set_result(Played(tag, "ended", self._clock.boot()))
            return fate
        self._speaker.play(speech.samples, speech.rate, tag)
        self._fates[tag] = fate  # told in this same thread, so never before this line
        return fate

    def _fate(self, played: Played) -> None:
        if played.kind == "started":
            say_id, _, number = played.tag.rsplit("/", 2)
            if number == "0":
                self._on_started(say_id, played.at)
            return
        fate = self._fates.pop(played.tag, None)
        if fate is not None and not fate.done():
            fate.set_result(played)
