"""From frames to words without waiting: recognition starts in the closing silence and is used if no more is said.

One thread recognises; a newer pause or the end of the turn makes an older result worthless, and it is dropped.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from voice.frames import Completeness, Frame, Transcript, Utterance
from voice.listen.listener import Ended, Listener, ListenEvent, Paused, Resumed, SpeechBegan
from voice.listen.reject import judged
from voice.listen.transcribe import Recogniser

T = TypeVar("T")


@dataclass(frozen=True)
class Heard:
    """One turn: its sound, its words (look at ``transcript.rejected`` first), and milliseconds by stage."""

    utterance: Utterance
    transcript: Transcript
    timings_ms: dict[str, float] = field(default_factory=dict)
    """``recognise``: the work; ``wait``: from the end of the turn to its words; ``trail``: the closing silence."""


@dataclass
class _Guess:
    pause: int
    task: asyncio.Task[Transcript]


def unknown(transcript: Transcript) -> Completeness:
    """Nothing is known of how complete words are."""
    return "unknown"


class Hearing:
    """Owns the thread that recognises; ``async with`` it, iterate ``hear`` once."""

    def __init__(
        self,
        listener: Listener,
        recogniser: Recogniser,
        completeness: Callable[[Transcript], Completeness] = unknown,
        prompt: Callable[[], Sequence[str]] = tuple,
        beam: int = 5,
        *,
        patient: bool = False,
    ) -> None:
        """``patient`` waits for each pause's words before going on: for files, whose frames come all at once."""
        self._listener = listener
        self._recogniser = recogniser
        self._completeness = completeness
        self._prompt = prompt
        self._beam = beam
        self._patient = patient
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recogniser")
        self._guess: _Guess | None = None
        self._finish = False
        self.deaf_until = -math.inf
        """Boot time before which nothing is heard: the assistant speaks itself. ``math.inf`` for as long as it does."""

    async def __aenter__(self) -> "Hearing":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._forget()
        await asyncio.to_thread(self._thread.shutdown)

    def finish(self) -> None:
        """The key was released: the turn ends with the next frame."""
        self._finish = True

    async def hear(self, frames: AsyncIterator[Frame]) -> AsyncIterator[SpeechBegan | Heard]:
        """SpeechBegan at once, Heard when a turn is over and recognised; ends with the frames."""
        async for frame in frames:
            if frame.at < self.deaf_until:
                await self._be_deaf()
                continue
            for event in self._events(frame):
                async for heard in self._on(event):
                    yield heard
            await asyncio.sleep(0)
        if (ended := self._listener.finish()) is not None:
            async for heard in self._on(ended):
                yield heard

    async def recognise(self, utterance: Utterance, beam: int | None = None) -> Transcript:
        """The words of one utterance, judged, in the recogniser's thread."""
        examples = tuple(self._prompt())
        loop = asyncio.get_running_loop()
        begun = time.perf_counter()
        found = await loop.run_in_executor(
            self._thread, self._recogniser.transcribe, utterance.speech, examples, beam or self._beam
        )
        found.timings_ms["recognise"] = (time.perf_counter() - begun) * 1000.0
        return judged(found, examples, utterance)

    async def run(self, work: Callable[[], T]) -> T:
        """Other work on the same recogniser, such as scoring words, in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _events(self, frame: Frame) -> list[ListenEvent]:
        events = list(self._listener.feed(frame))
        if self._finish:
            self._finish = False
            ended = self._listener.finish()
            events += [ended] if ended is not None else []
        return events

    async def _be_deaf(self) -> None:
        if self._listener.speaking or self._guess is not None:
            await self._forget()
        self._listener.drop()

    async def _on(self, event: ListenEvent) -> AsyncIterator[SpeechBegan | Heard]:
        match event:
            case SpeechBegan():
                yield event
            case Paused(utterance, pause):
                await self._forget()
                self._guess = _Guess(pause, asyncio.create_task(self._guess_at(utterance, pause)))
                if self._patient:
                    await self._guess.task
            case Resumed():
                await self._forget()
            case Ended():
                yield await self._ended(event)

    async def _guess_at(self, utterance: Utterance, pause: int) -> Transcript:
        found = await self.recognise(utterance)
        self._listener.hint(pause, "unknown" if found.rejected else self._completeness(found))
        return found

    async def _ended(self, ended: Ended) -> Heard:
        begun = time.perf_counter()
        guess, self._guess = self._guess, None
        if guess is not None and guess.pause == ended.pause:
            transcript = await guess.task
        else:
            await self._drop(guess)
            transcript = await self.recognise(ended.utterance)
        utterance = ended.utterance
        trail = utterance.seconds - (utterance.ends or len(utterance.samples)) / 16_000
        return Heard(
            utterance,
            transcript,
            {**transcript.timings_ms, "wait": (time.perf_counter() - begun) * 1000.0, "trail": trail * 1000.0},
        )

    async def _forget(self) -> None:
        guess, self._guess = self._guess, None
        await self._drop(guess)

    async def _drop(self, guess: _Guess | None) -> None:
        if guess is None:
            return
        guess.task.cancel()
        await asyncio.gather(guess.task, return_exceptions=True)
