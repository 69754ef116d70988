"""What a person would see on the terminal, whatever is printed and however the reads cut it."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runtimes.screen import Emulator


def seen(*pieces: bytes, rows: int = 10, cols: int = 40) -> Emulator:
    emulator = Emulator(rows, cols)
    for piece in pieces:
        emulator.feed(piece)
    return emulator


def text(*pieces: bytes, rows: int = 10, cols: int = 40) -> str:
    return "\n".join(seen(*pieces, rows=rows, cols=cols).screen().lines).strip("\n")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((b"build \x1b[", b"32mpassed\x1b[0m"), "build passed"),
        ((b"\x1b]0;harbor", b" busy\x07done"), "done"),
        ((b"gone\x1b", b"[2J"), ""),
        ((b"\x1bP+q", b"544e\x1b\\ok"), "ok"),
        ((b"\x1b_Gi=31,s=1;AAAA", b"\x1b", b"\\ok"), "ok"),
        ((b"\x1b[>4;?m", b"ok"), "ok"),
        ((b"\x1b[?u\x1b[>1u\x1b[<u", b"ok"), "ok"),
        ((b"\xe2\x9d", b"\xaf Yes"), "❯ Yes"),
        ((b"\x1b]0;cut by another\x1b[1mok",), "ok"),
        ((b"\x1b(0lqk\x1b(B ok",), "┌─┐ ok"),
        ((b"\x1b[3", b"\x18ok"), "ok"),
        ((b"a\x1b[2;\r5Hb",), "a\n    b"),
    ],
)
def test_sequences_cut_by_reads_show_no_words(pieces: tuple[bytes, ...], expected: str) -> None:
    assert text(*pieces) == expected


def test_overlong_string_is_swallowed_and_then_given_up() -> None:
    assert text(b"\x1b]0;" + b"x" * 100_000 + b"\x07ok") == "ok"
    assert text(b"\x1b]0;" + b"x" * (1 << 20) + b"\x1b[2J\x1b[Hok") == "ok"
    assert text(b"\x1b[" + b"1" * 100_000 + b"mok") == "ok"
    assert "lost" in text(b"\x1bP" + b"x" * (1 << 20) + b"y\r\nlost")


def test_title_follows_osc_0_and_2_whole() -> None:
    assert seen(b"\x1b]0;one\x07").screen().title == "one"
    assert seen(b"\x1b]2;\xe2\x9c\x8b  Action Req", b"uired (x)\x1b\\").screen().title == "✋  Action Required (x)"
    assert seen(b"\x1b]0;kept\x07\x1b]7501;state=idle\x07").screen().title == "kept"


def test_alternate_screen_comes_and_goes_with_the_main_one_kept() -> None:
    emulator = seen(b"shell\r\n$ ", b"\x1b[?1049h\x1b[Hfull")
    assert emulator.screen().alternate
    assert emulator.screen().lines[0] == "full"
    emulator.feed(b"\x1b[?1049l")
    assert not emulator.screen().alternate
    assert emulator.screen().lines[:2] == ("shell", "$")
    assert (emulator.screen().cursor_row, emulator.screen().cursor_col) == (1, 2)


def test_modes_that_typing_depends_on_are_seen() -> None:
    screen = seen(b"\x1b[?2004h\x1b[?25l").screen()
    assert screen.bracketed_paste
    assert not screen.cursor_visible
    screen = seen(b"\x1b[?2004;25h\x1b[?2004l").screen()
    assert not screen.bracketed_paste
    assert screen.cursor_visible


def test_wrapped_rows_can_be_joined() -> None:
    screen = seen(b"rm -rf /srv/data/very/long/path\r\nshort", cols=12).screen()
    joined, row = "", 0
    while row in screen.wrapped:
        joined += screen.lines[row]
        row += 1
    assert joined + screen.lines[row] == "rm -rf /srv/data/very/long/path"
    assert screen.lines[row + 1] == "short"
    assert row + 1 not in screen.wrapped


def test_row_that_is_erased_or_rewritten_is_wrapped_no_more() -> None:
    assert seen(b"x" * 15 + b"\x1b[H\x1b[2K", cols=10).screen().wrapped == frozenset()
    assert seen(b"x" * 15 + b"\x1b[Hnew", cols=10).screen().wrapped == frozenset()


def test_wide_characters_take_two_columns_and_break_whole() -> None:
    screen = seen("日本語x".encode(), cols=5).screen()
    assert screen.lines[:2] == ("日本", "語x")
    assert seen("日本".encode(), b"\x1b[1;2Hx").screen().lines[0] == " x本"
    assert seen("e\u0301a".encode()).screen().lines[0] == "e\u0301a"


def test_queries_that_programs_wait_for_are_answered_once() -> None:
    emulator = seen(b"ab\x1b[6n\x1b[c\x1b[>c\x1b[5n\x1b[?2004$p\x1b]11;?\x07\x1b[?u\x1b[21t")
    expected = b"\x1b[1;3R\x1b[?62;22c\x1b[>1;10;0c\x1b[0n\x1b[?2004;2$y\x1b]11;rgb:0000/0000/0000\x1b\\"
    assert emulator.responses() == expected
    assert emulator.responses() == b""


def test_resize_keeps_the_row_of_the_cursor() -> None:
    emulator = seen(b"\r\n".join(b"line %d" % n for n in range(10)))
    emulator.resize(4, 20)
    assert emulator.screen().lines == ("line 6", "line 7", "line 8", "line 9")
    assert emulator.screen().cursor_row == 3
    emulator.feed(b"\r\nmore")
    assert emulator.screen().lines[3] == "more"


def test_reset_forgets_the_screen_and_keeps_the_offset() -> None:
    emulator = seen(b"\x1b[?1049hold\x1b]0;cut")
    emulator.reset()
    emulator.feed(b"new")
    assert emulator.screen().lines[0] == "new"
    assert emulator.screen().offset == len(b"\x1b[?1049hold\x1b]0;cutnew")


def test_skipping_a_flood_of_lines_ends_in_the_same_screen() -> None:
    flood = b"".join(b"\x1b[3%dmline %d\x1b[0m\r\n" % (n % 8, n) for n in range(5000)) + b"$ "
    whole, skipped = seen(b"before "), seen(b"before ")
    whole.feed(flood)
    count = skipped.skippable(flood)
    assert count > len(flood) * 0.9
    skipped.skip(count)
    skipped.feed(flood[count:])
    assert skipped.screen() == whole.screen()


@pytest.mark.parametrize("special", [b"\x1b[?1049h", b"\x1b[5;5H", b"\x1b]0;t\x07", b"\x1b[2;4r", b"\x1b[4h"])
def test_nothing_that_moves_or_changes_modes_is_skipped(special: bytes) -> None:
    flood = special + b"y\r\n" * 5000
    assert seen().skippable(flood) == 0
    assert seen(b"\x1b[2;4r").skippable(b"y\r\n" * 5000) == 0
    assert seen(b"\x1b").skippable(b"y\r\n" * 5000) == 0


_PIECES = st.one_of(
    st.text(alphabet="abc ❯日é┃", max_size=12).map(str.encode),
    st.sampled_from(
        [
            *(
                b"\r",
                b"\n",
                b"\r\n",
                b"\b",
                b"\t",
                b"\x1b[K",
                b"\x1b[1K",
                b"\x1b[2K",
                b"\x1b[J",
                b"\x1b[1J",
                b"\x1b[2J",
            ),
            *(
                b"\x1b[H",
                b"\x1bM",
                b"\x1bD",
                b"\x1bE",
                b"\x1b[1;31m",
                b"\x1b[?25l",
                b"\x1b[?7l",
                b"\x1b[?7h",
                b"\x1b[r",
            ),
            *(b"\x1b[3;6r", b"\x1b]0;t\x07", b"\x1b[>4;?m", b"\x1bPx\x1b\\", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b7"),
            *(
                b"\x1b8",
                b"\x1b[4h",
                b"\x1b[4l",
                b"\x1b(0",
                b"\x1b(B",
                b"\x1b[5b",
                b"\x1b[S",
                b"\x1b[T",
                b"\x9b2J",
                b"\xff",
            ),
        ]
    ),
    st.builds(lambda y, x: b"\x1b[%d;%dH" % (y, x), st.integers(0, 12), st.integers(0, 24)),
    st.builds(lambda n, f: b"\x1b[%d%c" % (n, f), st.integers(0, 6), st.sampled_from(b"ABCDEFGLMP@XdZI")),
)


def test_inserted_and_deleted_lines_shift_the_rows_below() -> None:
    assert text(b"a\r\nb\r\nc\x1b[1;1H\x1b[Mx") == "x\nc"
    assert text(b"a\r\nb\x1b[1;2H\x1b[Lx") == "x\na\nb"


_OUTPUT = st.lists(_PIECES, max_size=40).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(_OUTPUT, st.lists(st.integers(1, 7), min_size=1, max_size=8))
def test_any_split_of_the_bytes_gives_the_same_screen(data: bytes, cuts: list[int]) -> None:
    whole, cut = Emulator(8, 20), Emulator(8, 20)
    whole.feed(data)
    at = turn = 0
    while at < len(data):
        step = cuts[turn % len(cuts)]
        cut.feed(data[at : at + step])
        at, turn = at + step, turn + 1
    assert cut.screen() == whole.screen()
    assert cut.responses() == whole.responses()


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.lists(st.one_of(_PIECES, st.binary(max_size=6))).map(b"".join)))
def test_no_bytes_break_the_screen(data: bytes) -> None:
    emulator = Emulator(5, 7)
    emulator.feed(data)
    emulator.resize(3, 4)
    emulator.feed(data)
    screen = emulator.screen()
    assert len(screen.lines) == 3
    assert 0 <= screen.cursor_row < 3
    assert 0 <= screen.cursor_col < 4
    assert all(len(row) == 4 for row in emulator._main.cells)


# Without inserted and deleted lines: pyte 0.8.2 keeps a row that should have gone when the one below was never written.
_PLAIN = st.one_of(
    st.text(alphabet="abcd ", max_size=12).map(str.encode),
    st.sampled_from([b"\r", b"\n", b"\r\n", b"\x1b[K", b"\x1b[1K", b"\x1b[2K", b"\x1b[J", b"\x1b[2J", b"\x1b[H"]),
    st.builds(lambda y, x: b"\x1b[%d;%dH" % (y, x), st.integers(1, 8), st.integers(1, 20)),
    st.builds(lambda n, f: b"\x1b[%d%c" % (n, f), st.integers(1, 6), st.sampled_from(b"ABCDGP@d")),
)


def same_as_oracle(data: bytes, rows: int, cols: int) -> bool:
    oracle = pyte.Screen(cols, rows)
    pyte.ByteStream(oracle).feed(data)
    ours = seen(data, rows=rows, cols=cols).screen().lines
    return [line.rstrip() for line in ours] == [line.rstrip() for line in oracle.display]


def test_blank_where_a_row_runs_on_stays_text_in_a_wider_window_too() -> None:
    emulator = seen(b"rm -rf data base", rows=5, cols=12)
    assert emulator.screen().lines[:2] == ("rm -rf data ", "base")
    emulator.resize(5, 20)
    assert emulator.screen().lines[:2] == ("rm -rf data ", "base")
    assert emulator.screen().wrapped == {0}


def test_column_that_a_wide_character_leaves_is_no_blank() -> None:
    emulator = seen("abc\u6f22".encode(), rows=5, cols=4)
    assert emulator.screen().lines[:2] == ("abc", "\u6f22")


@settings(max_examples=300, deadline=None)
@given(st.lists(_PLAIN, max_size=15).map(b"".join))
def test_screen_agrees_with_another_emulator(data: bytes) -> None:
    """Away from the last column, where pyte erases otherwise than terminals do."""
    assert same_as_oracle(data, rows=8, cols=220)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.text(alphabet="abcd ", max_size=30).map(str.encode), st.just(b"\r\n"))).map(b"".join))
def test_wrapping_and_scrolling_agree_with_another_emulator(data: bytes) -> None:
    assert same_as_oracle(data, rows=5, cols=20)
