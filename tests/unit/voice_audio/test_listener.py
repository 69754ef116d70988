"""Frames to turns with a voice activity that is told, so that every sample can be accounted for."""

import numpy as np
import pytest

from voice.audio.files import to_frames
from voice.frames import FRAME, FRAME_SECONDS, RATE, Samples
from voice.listen.listener import Ended, Listener, ListenEvent, Paused, Resumed, SpeechBegan


class Loudness:
    """Speech is what is loud."""

    def probability(self, samples: Samples) -> float:
        return 0.95 if float(np.abs(samples).max()) > 0.1 else 0.01

    def reset(self) -> None:
        pass


def sound(*parts: tuple[float, float]) -> Samples:
    rng = np.random.default_rng(0)
    pieces = [rng.uniform(-level, level, round(seconds * RATE / FRAME) * FRAME) for level, seconds in parts]
    return np.concatenate(pieces).astype(np.float32)


def hear(listener: Listener, samples: Samples, hint: str = "complete", at: float = 100.0) -> list[ListenEvent]:
    events: list[ListenEvent] = []
    for frame in to_frames(samples, at):
        for event in listener.feed(frame):
            events.append(event)
            if isinstance(event, Paused):
                listener.hint(event.pause, hint)  # type: ignore[arg-type]  # a test of literals
    return events


def test_a_turn_has_its_times_and_the_sound_before_it() -> None:
    events = hear(Listener(Loudness()), sound((0.001, 1.0), (0.5, 1.0), (0.001, 1.0)))
    ended = events[-1]
    assert isinstance(ended, Ended)
    turn = ended.utterance
    assert turn.began_at == pytest.approx(101.0, abs=0.1)
    assert turn.began_at <= 101.0, "a decision must not seem to begin later than it did"
    assert turn.ended_at == pytest.approx(102.0, abs=2 * FRAME_SECONDS)
    assert turn.begins >= 0.3 * RATE
    assert turn.speech_seconds == pytest.approx(1.0, abs=0.1)
    assert len(turn.speech) <= 1.9 * RATE


def test_the_words_of_the_last_pause_are_named_by_the_end() -> None:
    events = hear(Listener(Loudness()), sound((0.001, 0.5), (0.5, 1.0), (0.001, 1.0)))
    paused = [event for event in events if isinstance(event, Paused)]
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert ended.pause == paused[-1].pause


def test_a_pause_does_not_split_a_sentence() -> None:
    samples = sound((0.001, 0.5), (0.5, 1.0), (0.001, 0.6), (0.5, 1.0), (0.001, 2.0))
    events = hear(Listener(Loudness()), samples, hint="open")
    kinds = [type(event) for event in events]
    assert kinds == [SpeechBegan, Paused, Resumed, Paused, Ended]
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert ended.utterance.ended_at - ended.utterance.began_at == pytest.approx(2.6, abs=0.2)


def test_two_commands_are_two_turns_and_share_no_speech() -> None:
    samples = sound((0.001, 0.5), (0.5, 1.0), (0.001, 0.4), (0.5, 1.0), (0.001, 1.0))
    turns = [event for event in hear(Listener(Loudness()), samples) if isinstance(event, Ended)]
    assert len(turns) == 2
    assert turns[1].utterance.speech_seconds == pytest.approx(1.0, abs=0.1)


def test_a_released_key_ends_the_turn_at_once() -> None:
    listener = Listener(Loudness())
    hear(listener, sound((0.001, 0.5), (0.5, 1.0)))
    ended = listener.finish()
    assert ended is not None and ended.utterance.speech_seconds > 0.9
    assert listener.finish() is None


def test_what_is_dropped_is_not_heard_later() -> None:
    listener = Listener(Loudness())
    hear(listener, sound((0.5, 1.0)))
    listener.drop()
    assert hear(listener, sound((0.001, 2.0))) == []


class Asked(Loudness):
    """Counts how often it is asked, and keeps what it was asked about."""

    def __init__(self) -> None:
        self.heard: list[float] = []

    def probability(self, samples: Samples) -> float:
        self.heard.append(float(np.abs(samples).max()))
        return super().probability(samples)


def test_a_room_that_only_hums_costs_no_work_and_a_word_in_it_is_whole() -> None:
    vad = Asked()
    listener = Listener(vad)
    hear(listener, sound((0.01, 4.0)))
    until_known = len(vad.heard)
    assert hear(listener, sound((0.01, 20.0)), at=104.0) == []
    assert len(vad.heard) - until_known < 20 / FRAME_SECONDS * 0.01
    asked = len(vad.heard)
    ended = hear(listener, sound((0.5, 1.0), (0.01, 1.0)), at=124.0)[-1]
    assert isinstance(ended, Ended)
    assert ended.utterance.speech_seconds == pytest.approx(1.0, abs=0.1)
    assert max(vad.heard[asked : asked + 8]) < 0.02, "the model hears what came before the word"
