"""Recorded terminals in any cut, with redraws, resizes and floods around them: the same gates, once each."""

import tracemalloc
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.gates.detect import Detector
from engine.runtimes.screen import Emulator
from scripts.bench import gates_lib as lib

RECORDED = [
    (row["file"], row["cli"], row["size"], (lib.DATA / "screens" / row["file"]).read_bytes())
    for row in lib.lines("screens/recorded.jsonl")
]
ASKING = [
    (row["file"], row["cli"], row["size"], (lib.DATA / "screens" / row["file"]).read_bytes())
    for row in lib.lines("screens/recorded.jsonl")
    if row["expect"]
]
READER = lib.reader()
PATIENT = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
# What programs and terminals send without changing what stands on the screen.
NOISE = (
    b"",
    b"\x1b[0m",
    b"\x1b[?25l\x1b[?25h",
    b"\x1b[6n",
    b"\x1b]0;busy\x07",
    b"\x1b[?2026h\x1b[?2026l",
    b"\x1b7\x1b8",
)


def _emulator(size: str) -> Emulator:
    columns, _, rows = size.partition("x")
    return Emulator(int(rows), int(columns))


def _cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return (data[start:end] for start, end in pairwise(edges))


def _prompts(detector: Detector, emulator: Emulator) -> list[str]:
    emulator.responses()
    return [question.prompt for question in detector.see(emulator.screen())[0]]


@PATIENT
@given(st.sampled_from(RECORDED), st.lists(st.integers(0, 1_000_000), max_size=12))
def test_bytes_cut_anywhere_give_the_same_screen(recorded: tuple[str, str, str, bytes], places: list[int]) -> None:
    _, cli, size, data = recorded
    whole, parts = _emulator(size), _emulator(size)
    whole.feed(data)
    for part in _cut(data, places):
        parts.feed(part)
    assert parts.screen() == whole.screen()
    assert READER.questions(parts.screen(), cli, lib.PROJECT) == READER.questions(whole.screen(), cli, lib.PROJECT)


@PATIENT
@given(st.sampled_from(ASKING), st.lists(st.sampled_from(NOISE), max_size=10), st.integers(1, 5))
def test_question_under_noise_is_one_gate(
    recorded: tuple[str, str, str, bytes], noise: list[bytes], looks: int
) -> None:
    _, cli, size, data = recorded
    emulator, detector = _emulator(size), Detector(READER, cli, lib.PROJECT)
    emulator.feed(data)
    appeared = _prompts(detector, emulator)
    assert len(appeared) == 1
    for piece in noise:
        emulator.feed(piece)
        for _ in range(looks):
            assert _prompts(detector, emulator) == []


@PATIENT
@given(st.sampled_from(ASKING), st.integers(1, 4))
def test_question_drawn_again_after_a_cleared_screen_is_the_same_gate(
    recorded: tuple[str, str, str, bytes], times: int
) -> None:
    _, cli, size, data = recorded
    emulator, detector = _emulator(size), Detector(READER, cli, lib.PROJECT)
    emulator.feed(data)
    before = emulator.screen()
    assume(not before.wrapped)  # whoever paints row by row breaks his lines himself
    assert len(_prompts(detector, emulator)) == 1
    for _ in range(times):
        emulator.feed(b"\x1b[?2026h" + _drawn(before.lines, before.cursor_row, before.cursor_col) + b"\x1b[?2026l")
        assert _prompts(detector, emulator) == []


def _drawn(lines: tuple[str, ...], row: int, column: int) -> bytes:
    """A screen as a program paints it: every row from its start, then the cursor."""
    rows = "".join(f"\x1b[{number};1H\x1b[2K{line}" for number, line in enumerate(lines, start=1))
    return f"{rows}\x1b[{row + 1};{column + 1}H".encode()


@PATIENT
@given(st.sampled_from(ASKING), st.integers(0, 40), st.integers(0, 60))
def test_larger_window_raises_no_second_gate(recorded: tuple[str, str, str, bytes], rows: int, columns: int) -> None:
    _, cli, size, data = recorded
    emulator, detector = _emulator(size), Detector(READER, cli, lib.PROJECT)
    emulator.feed(data)
    assert len(_prompts(detector, emulator)) == 1
    width, _, height = size.partition("x")
    emulator.resize(int(height) + rows, int(width) + columns)
    assert _prompts(detector, emulator) == []


def test_question_behind_a_flood_is_seen_once_and_memory_stays_small() -> None:
    emulator, detector = Emulator(30, 100), Detector(READER, "other", lib.PROJECT)
    line = b"\x1b[32mDo you want to proceed?\x1b[0m building part [y/N] of 1000\r\n" * 1000
    tracemalloc.start()
    try:
        for _ in range(10):
            emulator.feed(line)
            assert _prompts(detector, emulator) == []
        small = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            emulator.feed(line)
            assert _prompts(detector, emulator) == []
        grown = tracemalloc.get_traced_memory()[0] - small
    finally:
        tracemalloc.stop()
    assert grown < 200_000
    emulator.feed(b"Run rm -rf build? [y/N] ")
    assert _prompts(detector, emulator) == ["Run rm -rf build? [y/N]"]
    assert _prompts(detector, emulator) == []


@given(st.integers(12, 60), st.booleans())
def test_words_parted_where_a_row_ends_stay_parted(columns: int, above: bool) -> None:
    command = "rm -rf database next other_folder third"
    text = (
        f"Run {command}? [y/N] " if not above else f"$ {command}\r\n\r\nDo you want to proceed?\r\n❯ 1. Yes\r\n  2. No"
    )
    emulator = Emulator(30, columns)
    emulator.feed(text.encode())
    (question,) = READER.questions(emulator.screen(), "other", lib.PROJECT)
    assert question.command in (command, None) if above else question.command == command
