"""Edges: what appears and goes, and commands that have begun."""

from engine.domain.gates import KillHeld, Proceed
from engine.gates.detect import Detector, EchoWatch
from engine.runtimes.screen import Emulator
from scripts.bench import gates_lib as lib

ASK = b"Run rm -rf build? [y/N] "


def _detector() -> tuple[Detector, Emulator]:
    return Detector(lib.reader(), "practice", lib.PROJECT), Emulator(30, 100)


def test_question_appears_once_and_goes_once() -> None:
    detector, emulator = _detector()
    emulator.feed(ASK)
    appeared, gone = detector.see(emulator.screen())
    assert (len(appeared), len(gone)) == (1, 0)
    assert detector.see(emulator.screen()) == ([], [])
    emulator.feed(b"y\r\nDone.\r\n> ")
    appeared, gone = detector.see(emulator.screen())
    assert (len(appeared), len(gone)) == (0, 1)
    assert detector.live == []


def test_same_question_asked_again_after_it_went_is_new() -> None:
    detector, emulator = _detector()
    for _ in range(2):
        emulator.feed(ASK)
        assert len(detector.see(emulator.screen())[0]) == 1
        emulator.feed(b"n\r\nok\r\n")
        assert len(detector.see(emulator.screen())[1]) == 1


def test_same_question_below_its_answered_older_self_is_new() -> None:
    detector, emulator = _detector()
    emulator.feed(ASK)
    detector.see(emulator.screen())
    emulator.feed(b"n\r\n" + ASK)
    appeared, gone = detector.see(emulator.screen())
    assert (len(appeared), len(gone)) == (1, 1)


def test_redraw_and_resize_raise_nothing_new() -> None:
    detector, emulator = _detector()
    emulator.feed(ASK)
    detector.see(emulator.screen())
    emulator.feed(b"\x1b[2J\x1b[H" + ASK)
    assert detector.see(emulator.screen()) == ([], [])
    emulator.resize(24, 90)
    assert detector.see(emulator.screen()) == ([], [])


def test_echoed_harmful_command_is_held_and_may_have_begun() -> None:
    watch, emulator = EchoWatch("practice", lib.surroundings()), Emulator(30, 100)
    emulator.feed(b"$ npm test\r\n$ rm -rf build\r\n")
    (question,) = watch.see(emulator.screen())
    assert question.may_have_begun
    assert question.command == "rm -rf build"
    assert [type(choice.reply) for choice in question.choices] == [Proceed, KillHeld]
    assert watch.see(emulator.screen()) == []
    emulator.feed(b"$ rm -rf build\r\n")
    assert len(watch.see(emulator.screen())) == 1


def test_cli_without_a_known_echo_is_never_held_for_what_it_prints() -> None:
    watch, emulator = EchoWatch("gpt", lib.surroundings()), Emulator(30, 100)
    emulator.feed(b"$ rm -rf build\r\n")
    assert watch.see(emulator.screen()) == []
