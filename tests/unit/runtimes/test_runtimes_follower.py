"""What is told of an agent's output, and that its end is told whatever happens."""

from collections.abc import AsyncIterator

import pytest

from engine.ports.runtime import Exited, Output, Settled
from engine.runtimes.follower import Follower, Mailbox, still
from engine.runtimes.link import Ended, Frame, Gap
from engine.runtimes.screen import Emulator


class Script:
    """Stands for a link: plays frames."""

    def __init__(self, *frames: Frame) -> None:
        self.played = frames

    async def frames(self, offset: int) -> AsyncIterator[Frame]:
        for frame in self.played:
            yield frame


async def respond(answers: bytes) -> None:
    raise AssertionError(f"nobody waits for {answers!r}")


async def told(*frames: Frame, tell_from: int = 0, live_from: int = 0, answer=respond) -> list[object]:
    follower = Follower(Script(*frames), Emulator(5, 20), 0.01, tell_from, live_from, answer)
    follower.start(frames[0].offset if isinstance(frames[0], Output) else 0)
    got = [signal async for signal in follower.signals()]
    await follower.close()
    return got


async def test_output_before_the_point_of_adoption_is_drawn_but_not_told_again() -> None:
    got = await told(Output(0, b"one\r\ntwo\r\n"), Ended(0, "done"), tell_from=5)
    assert [signal for signal in got if isinstance(signal, Output)] == [Output(5, b"two\r\n")]
    settled = [signal for signal in got if isinstance(signal, Settled)]
    assert settled[-1].screen.lines[:2] == ("one", "two")
    assert got[-1] == Exited(0, "done")


async def test_queries_of_the_past_are_not_answered_again() -> None:
    answers: list[bytes] = []

    async def answer(data: bytes) -> None:
        answers.append(data)

    await told(Output(0, b"\x1b[6n"), Output(4, b"\x1b[c"), Ended(0, ""), live_from=4, answer=answer)
    assert answers == [b"\x1b[?62;22c"]


async def test_lost_output_starts_an_empty_screen_and_asks_for_a_redraw() -> None:
    follower = Follower(
        Script(Output(0, b"old"), Gap(1000), Output(1000, b"new"), Ended(0, "")),
        Emulator(5, 20),
        0.01,
        0,
        0,
        respond,
    )
    asked: list[bool] = []

    async def repaint() -> None:
        asked.append(True)

    follower.repaint = repaint
    follower.start(0)
    last = [signal async for signal in follower.signals() if isinstance(signal, Settled)][-1]
    await follower.close()
    assert last.screen.lines[0] == "new"
    assert last.screen.offset == 1003
    assert asked == [True]


async def test_end_is_told_even_when_reading_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_data: bytes) -> None:
        raise RuntimeError("boom")

    got = await told(Output(0, b"\x1b[6n"), Ended(0, ""), answer=fail)
    assert isinstance(got[-1], Exited)
    assert got[-1].code is None
    assert "boom" in caplog.text


async def test_slow_consumer_loses_no_settled_screen_and_memory_stays_bounded() -> None:
    box = Mailbox()
    screens = [Settled(Emulator(2, 10).screen()) for _ in range(3)]
    for number in range(2000):
        box.put(Output(number, b"x"))
    for screen in screens:
        box.put(screen)
    box.put(Exited(0, ""))
    got = []
    while not (got and isinstance(got[-1], Exited)):
        got.append(await box.get())
    assert len(got) < 600
    assert got[-2] is screens[-1]


def test_spinner_signs_and_counters_are_no_change() -> None:
    one, two, other = Emulator(3, 40), Emulator(3, 40), Emulator(3, 40)
    one.feed("✻ Working… (3s · ↓ 20 tokens)".encode())
    two.feed("✶ Working… (14s · ↓ 120 tokens)".encode())
    other.feed("✶ Do you want to proceed?".encode())
    assert still(one.screen()) == still(two.screen()) != still(other.screen())
