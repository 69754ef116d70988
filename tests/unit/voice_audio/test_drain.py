"""Told by times alone: what a loudspeaker took and can't have played."""

from voice.audio.drain import Drain


def test_device_that_takes_as_time_passes_swallows_nothing() -> None:
    drain = Drain(0.04)
    assert not any(drain.take(100 + 0.02 * number, 0.02) for number in range(1000))


def test_late_call_that_fills_the_buffer_again_swallows_nothing() -> None:
    drain = Drain(0.04)
    drain.take(100.0, 0.02)
    assert not any(drain.take(100.5, 0.02) for _ in range(3))


def test_seconds_taken_at_once_after_a_gap_are_swallowed() -> None:
    drain = Drain(0.04)
    drain.take(100.0, 0.02)
    assert any(drain.take(105.0, 0.02) for _ in range(20))


def test_many_small_gaps_are_gaps() -> None:
    drain = Drain(0.04)
    for number in range(10):
        drain.take(100 + 0.03 * number, 0.02)
    assert drain.ran_dry


def test_device_that_holds_more_than_it_says_is_believed() -> None:
    drain = Drain(0.04)
    assert not any(drain.take(100.0, 0.02) for _ in range(25))
    assert drain.held == drain.capacity
    assert not any(drain.take(100.5 + 0.02 * number, 0.02) for number in range(100))


def test_device_that_tells_of_running_dry_holds_only_what_it_took_since() -> None:
    drain = Drain(0.06)
    for number in range(500):  # idle for minutes, running dry now and then
        drain.take(100 + 0.5 * number, 0.02)
        for _ in range(4):
            drain.take(100 + 0.5 * number, 0.02, underflow=True)
    assert drain.held <= 0.06


def test_gaps_of_long_ago_are_forgiven() -> None:
    drain = Drain(0.06)
    for number in range(10):
        drain.take(100 + 0.03 * number, 0.02)
    assert drain.ran_dry
    for number in range(3000):
        drain.take(100.3 + 0.02 * number, 0.02)
    assert not drain.ran_dry


def test_what_is_taken_at_once_after_told_gaps_is_swallowed() -> None:
    drain = Drain(0.06)
    drain.take(100.0, 0.02)
    assert any(drain.take(100.1 + 0.0005 * number, 0.02, underflow=True) for number in range(40))


def test_gaps_in_silence_are_heard_by_nobody() -> None:
    drain = Drain(0.06)
    for number in range(10):
        drain.take(100 + 0.03 * number, 0.02)
    assert drain.ran_dry and not drain.torn
    for number in range(10):
        drain.sounding = True
        drain.take(101 + 0.03 * number, 0.02)
    assert drain.torn
