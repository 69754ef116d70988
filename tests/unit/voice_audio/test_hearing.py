"""Recognition that starts in the closing silence: used when nothing more is said, dropped when something is."""

import math
import threading
from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np

from voice.audio.files import to_frames
from voice.frames import RATE, Frame, Hypothesis, Samples, Transcript
from voice.listen.hearing import Heard, Hearing
from voice.listen.listener import Listener, SpeechBegan
from voice.listen.reject import judged


class Loudness:
    def probability(self, samples: Samples) -> float:
        return 0.95 if float(np.abs(samples).max()) > 0.1 else 0.01

    def reset(self) -> None:
        pass


class Lengths:
    """Says how many tenths of a second of speech it was given."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.examples: list[Sequence[str]] = []
        self.threads: set[str] = set()

    def transcribe(self, speech: Samples, examples: Sequence[str] = (), beam: int = 5) -> Transcript:
        loud = int(np.count_nonzero(np.abs(speech) > 0.1) / RATE * 10 / 0.8)
        self.lengths.append(loud)
        self.examples.append(examples)
        self.threads.add(threading.current_thread().name)
        return Transcript((Hypothesis(f"heard {loud}", -0.1, 0.9),), 0.0, 0.5, len(speech) / RATE)

    def word_scores(self, speech: Samples, texts: Sequence[str]) -> Mapping[str, float]:
        return dict.fromkeys(texts, -1.0)


def sound(*parts: tuple[float, float]) -> list[Frame]:
    rng = np.random.default_rng(0)
    pieces = [rng.uniform(-level, level, round(seconds * RATE)) for level, seconds in parts]
    return to_frames(np.concatenate(pieces).astype(np.float32), 100.0)


async def given(frames: list[Frame]) -> AsyncIterator[Frame]:
    for frame in frames:
        yield frame


async def hear(hearing: Hearing, frames: list[Frame]) -> list[SpeechBegan | Heard]:
    async with hearing:
        return [event async for event in hearing.hear(given(frames))]


async def test_a_turn_is_recognised_once_during_its_closing_silence() -> None:
    recogniser = Lengths()
    hearing = Hearing(
        Listener(Loudness()), recogniser, lambda found: "complete", lambda: ["What is open?"], patient=True
    )
    events = await hear(hearing, sound((0.001, 0.5), (0.5, 1.0), (0.001, 1.0)))
    assert [type(event) for event in events] == [SpeechBegan, Heard]
    heard = events[1]
    assert isinstance(heard, Heard)
    assert len(recogniser.lengths) == 1
    assert recogniser.examples == [("What is open?",)]
    assert heard.transcript.rejected is None
    assert {"recognise", "wait", "trail"} <= set(heard.timings_ms)
    assert 150 < heard.timings_ms["trail"] < 260


async def test_a_sentence_with_a_pause_is_recognised_whole() -> None:
    recogniser = Lengths()
    hearing = Hearing(Listener(Loudness()), recogniser, lambda found: "open", patient=True)
    events = await hear(hearing, sound((0.001, 0.5), (0.5, 1.0), (0.001, 0.7), (0.5, 1.0), (0.001, 2.0)))
    heard = [event for event in events if isinstance(event, Heard)]
    assert len(heard) == 1
    first, last = recogniser.lengths
    assert last in (2 * first, 2 * first + 1)
    assert heard[0].transcript.text == f"heard {last}"


async def test_while_the_assistant_speaks_nothing_is_heard() -> None:
    recogniser = Lengths()
    hearing = Hearing(Listener(Loudness()), recogniser, patient=True)
    hearing.deaf_until = math.inf
    assert await hear(hearing, sound((0.5, 2.0), (0.001, 2.0))) == []
    assert recogniser.lengths == []


async def test_its_own_tail_is_not_heard_but_what_follows_is() -> None:
    hearing = Hearing(Listener(Loudness()), Lengths(), patient=True)
    hearing.deaf_until = 101.0
    events = await hear(hearing, sound((0.5, 1.0), (0.001, 1.0), (0.5, 1.0), (0.001, 2.0)))
    began = [event for event in events if isinstance(event, SpeechBegan)]
    assert len(began) == 1
    assert began[0].at > 101.5


async def test_the_end_of_a_file_ends_the_turn() -> None:
    events = await hear(Hearing(Listener(Loudness()), Lengths(), patient=True), sound((0.001, 0.5), (0.5, 1.0)))
    assert isinstance(events[-1], Heard)


async def test_the_recogniser_runs_in_one_thread() -> None:
    recogniser = Lengths()
    frames = sound(*[(0.001, 0.6), (0.5, 1.0)] * 5, (0.001, 2.0))
    await hear(Hearing(Listener(Loudness()), recogniser, lambda found: "complete", patient=True), frames)
    assert len(recogniser.lengths) == 5
    assert len(recogniser.threads) == 1


async def test_words_that_are_no_words_are_marked() -> None:
    class Inventing(Lengths):
        def transcribe(self, speech: Samples, examples: Sequence[str] = (), beam: int = 5) -> Transcript:
            return Transcript((Hypothesis("Thanks for watching!", -0.2, 0.8),), 0.1, 0.5, 1.0)

    events = await hear(Hearing(Listener(Loudness()), Inventing(), patient=True), sound((0.5, 1.0), (0.001, 2.0)))
    heard = events[-1]
    assert isinstance(heard, Heard)
    assert heard.transcript.rejected == "invention"
    assert judged(heard.transcript).rejected == "invention"
