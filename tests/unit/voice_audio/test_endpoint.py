"""When a turn begins and ends, frame by frame."""

import pytest

from voice.frames import FRAME_SECONDS, Completeness
from voice.listen.endpoint import Endpoint, EndpointSettings, Phase, Step

SPEECH, SILENCE = (0.95, -20.0), (0.02, -60.0)


def frames(seconds: float) -> int:
    return round(seconds / FRAME_SECONDS)


def run(endpoint: Endpoint, seconds: float, frame: tuple[float, float]) -> list[Step]:
    steps = [endpoint.feed(*frame) for _ in range(frames(seconds))]
    return [step for step in steps if step is not Step.NONE]


def until(endpoint: Endpoint, step: Step, frame: tuple[float, float], limit: float = 10.0) -> float:
    """Seconds of ``frame`` until ``step`` comes."""
    for count in range(frames(limit)):
        if endpoint.feed(*frame) is step:
            return (count + 1) * FRAME_SECONDS
    raise AssertionError(f"{step} never came")


@pytest.mark.parametrize(("hint", "silence"), [("complete", 0.16), ("unknown", 0.5), ("consent", 0.8), ("open", 1.4)])
def test_silence_that_ends_a_turn_depends_on_how_complete_it_is(hint: Completeness, silence: float) -> None:
    endpoint = Endpoint()
    run(endpoint, 1.0, SPEECH)
    paused = until(endpoint, Step.PAUSED, SILENCE)
    endpoint.hint(endpoint.pauses, hint)
    ended = until(endpoint, Step.ENDED, SILENCE)
    assert paused + ended == pytest.approx(silence, abs=FRAME_SECONDS)


def test_without_a_hint_it_waits_for_one_and_then_ends() -> None:
    endpoint = Endpoint()
    run(endpoint, 1.0, SPEECH)
    assert until(endpoint, Step.ENDED, SILENCE) == pytest.approx(1.2, abs=FRAME_SECONDS)


def test_a_pause_inside_a_sentence_is_one_turn() -> None:
    endpoint = Endpoint()
    assert run(endpoint, 1.0, SPEECH) == [Step.BEGAN]
    assert run(endpoint, 0.3, SILENCE) == [Step.PAUSED]
    endpoint.hint(endpoint.pauses, "open")
    assert run(endpoint, 0.8, SILENCE) == []
    assert run(endpoint, 1.0, SPEECH) == [Step.RESUMED]


def test_a_hint_for_an_earlier_pause_ends_nothing() -> None:
    endpoint = Endpoint()
    run(endpoint, 1.0, SPEECH)
    until(endpoint, Step.PAUSED, SILENCE)
    old = endpoint.pauses
    run(endpoint, 0.5, SPEECH)
    until(endpoint, Step.PAUSED, SILENCE)
    endpoint.hint(old, "complete")
    assert run(endpoint, 0.5, SILENCE) == []


def test_a_click_begins_no_turn() -> None:
    endpoint = Endpoint()
    for _ in range(20):
        assert endpoint.feed(*SPEECH) is Step.NONE
        assert endpoint.feed(*SILENCE) is Step.NONE


def test_a_click_in_the_closing_silence_does_not_keep_the_turn_open() -> None:
    endpoint = Endpoint()
    run(endpoint, 1.0, SPEECH)
    until(endpoint, Step.PAUSED, SILENCE)
    endpoint.hint(endpoint.pauses, "unknown")
    endpoint.feed(*SPEECH)
    assert until(endpoint, Step.ENDED, SILENCE) < 0.6


def test_steady_noise_taken_for_speech_ends_by_its_evenness() -> None:
    endpoint = Endpoint()
    run(endpoint, 1.2, SPEECH)
    assert until(endpoint, Step.ENDED, (0.9, -35.0), limit=60.0) < 5.0


def test_steady_noise_alone_opens_a_turn_at_most_once_and_briefly() -> None:
    endpoint = Endpoint()
    steps = run(endpoint, 60.0, (0.9, -35.0))
    assert steps.count(Step.BEGAN) <= 1
    assert endpoint.phase is Phase.IDLE


def test_endless_speech_is_cut_at_the_cap() -> None:
    endpoint = Endpoint(EndpointSettings(cap=5.0))
    levels = [-20.0, -45.0, -15.0, -50.0]
    steps = [endpoint.feed(0.9, levels[n % 4]) for n in range(frames(12.0))]
    assert steps.count(Step.CAPPED) == 2


def test_a_soft_end_of_a_word_still_counts_as_speech() -> None:
    endpoint = Endpoint()
    run(endpoint, 1.0, SPEECH)
    assert run(endpoint, 1.0, (0.4, -30.0)) == []
