"""Whatever comes in: no crash, no hang, and harm is never hidden by what stands around it."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.gates.sources.command import FakeSurroundings, call, judge, judge_edit, shell, spoken
from engine.gates.sources.command.programs import registry
from engine.runtimes.screen import Emulator
from scripts.bench import gates_lib as lib

WHERE = FakeSurroundings()
HARMLESS = [
    row["command"]
    for row in lib.lines("commands.jsonl")
    if not row["harmful"] and "\n" not in row["command"] and "#" not in row["command"]
]
SHELLISH = st.text(alphabet="rm -fg/~$(){}[]<>|&;'\"`\\\n*?=#!a1.éx", max_size=60)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), SHELLISH))
def test_any_text_gets_a_judgement_and_a_sentence(text: str) -> None:
    judged = judge(text, WHERE)
    assert judged.tier in ("harmful", "routine", "none")
    assert bool(spoken(judged)) == bool(judged.findings or judged.screen_only == "blanks")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(HARMLESS), st.sampled_from(["; ", " && ", " || ", "\n"]), st.booleans())
def test_harm_in_a_list_is_found_whatever_stands_beside_it(other: str, joint: str, first: bool) -> None:
    harm = "rm -rf data"
    line = f"{harm}{joint}{other}" if first else f"{other}{joint}{harm}"
    assert judge(line, WHERE).tier == "harmful"


@settings(max_examples=150, deadline=None)
@given(st.permutations(["-r", "-f", "-v", "data"]), st.sampled_from(["rm", "/bin/rm", "\\rm", "'rm'", "command rm"]))
def test_order_of_options_and_spelling_of_rm_change_nothing(words: list[str], name: str) -> None:
    judged = judge(" ".join([name, *words]), WHERE)
    assert [effect.targets for effect in judged.effects] == [("data",)]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=12))
def test_any_edit_gets_a_judgement(path: str, kind: str) -> None:
    assert judge_edit(path, kind, WHERE).tier in ("harmful", "routine", "none")


def test_mutated_commands_and_bytes_crash_nothing() -> None:
    chance = random.Random(7)
    rows = [row["command"] for row in lib.lines("commands.jsonl")]
    for _ in range(3000):
        text = list(chance.choice(rows))
        for _ in range(chance.randint(1, 4)):
            text.insert(chance.randint(0, len(text)), chance.choice("'\"`$(){}|;&<>\\\n\0 "))
        judge("".join(text), WHERE)


def test_random_bytes_through_the_screen_crash_nothing() -> None:
    chance = random.Random(11)
    reader = lib.reader()
    recorded = [(lib.DATA / "screens" / row["file"]).read_bytes() for row in lib.lines("screens/recorded.jsonl")]
    for _ in range(150):
        emulator = Emulator(chance.randint(1, 40), chance.randint(1, 120))
        data = bytearray(chance.choice(recorded) + chance.randbytes(chance.randint(0, 400)))
        for _ in range(20):
            data[chance.randrange(len(data))] = chance.randrange(256)
        emulator.feed(bytes(data))
        screen = emulator.screen()
        for cli in ("claude", "opencode", "gpt", "practice", "other"):
            reader.questions(screen, cli, lib.PROJECT)
            reader.input_line(screen, cli)


def test_prompt_quoted_in_a_flood_raises_nothing() -> None:
    reader, emulator = lib.reader(), Emulator(30, 100)
    emulator.feed(b"Continue? [y/N] was printed\r\n\x1b[1mDo you want to proceed?\x1b[0m\r\n" * 20_000)
    assert reader.questions(emulator.screen(), "claude", lib.PROJECT) == ()


def test_escapes_that_end_too_early_are_text() -> None:
    for tail in ("x", "u", "U", "xg", "uz", "0", "", "8"):
        judged = judge(f"printf '\\{tail}[6d -rf x' | bash; echo $'\\{tail}g'", WHERE)
        assert judged.tier == "harmful"


def test_a_fault_inside_the_judge_asks() -> None:
    class Broken(FakeSurroundings):
        def exists(self, path: str) -> bool:
            raise OSError("the disk is gone")

    assert judge("echo a > b", Broken()).tier == "harmful"


REPEATED = [
    "a|",
    "a|&",
    "a||",
    "a=(",
    "<<-E ",
    "cat <<A\n",
    "$(",
    "(",
    "{ ",
    "if a; then ",
    ">a ",
    "[[ a && ",
    "'\"",
    "eval ",
    "xargs ",
    "a|a|a\n",
]


@pytest.mark.parametrize("piece", REPEATED)
def test_longest_text_of_any_piece_is_given_up_within_the_limit(piece: str) -> None:
    """No wall clock: the judge's own deadline is set to now, so whatever goes on without asking it would hang here."""
    text = piece * (65_000 // len(piece))
    bench = call.Bench(WHERE, shell.run, registry.judge_call, deadline=time.monotonic())
    with pytest.raises((call.TooMuch, RecursionError)):
        bench.run(bench, text, call.Scope(WHERE.cwd), None)


def test_command_that_takes_too_long_to_read_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "MAX_SECONDS", 0.0)
    judged = judge("echo harmless", WHERE)
    assert judged.tier == "harmful"
    assert "too deep to follow" in spoken(judged)
