"""A practice agent: behaves like a coding agent in a terminal and touches nothing but its own folder.

``python -m engine.practice`` works in the current folder. No answer, or the end of its input, always means no.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

Task = Literal["explain", "clean", "tests", "notes", "plan", "question", "help", "exit", "other"]

# The first line with a word that occurs decides; "clean up the tests" is a clean-up.
_WORDS: tuple[tuple[Task, tuple[str, ...]], ...] = (
    ("explain", ("rejected", "explain")),
    ("help", ("help",)),
    ("clean", ("clean", "tidy", "delete", "remove")),
    ("tests", ("test",)),
    ("notes", ("note",)),
    ("plan", ("plan",)),
    ("question", ("ask me", "question")),
)
_MARKER = ".made-by-conduit-practice"
_PAUSE_S = 0.4
_BANNER = """\
Conduit practice agent
I work only in {folder}.
Tell me: run the tests, write notes, clean up, plan, ask me something, help, exit.
"""
_HELP = """\
  run the tests       pretends to test and reports
  write notes         adds a line to notes.md
  clean up            asks whether it may run rm -rf build
  plan                shows a plan and asks whether to go on
  ask me something    asks you to choose one of two
  exit                ends
"""


def understand(text: str) -> Task:
    """What a line asks for."""
    lowered = text.lower()
    if lowered.strip() in ("exit", "quit", "goodbye"):
        return "exit"
    return next((task for task, words in _WORDS if any(word in lowered for word in words)), "other")


class Practice:
    """One conversation over a pair of text streams, in ``folder``; ``pause`` waits between the steps of its work."""

    def __init__(
        self, folder: Path, read: Callable[[], str], write: Callable[[str], None], pause: Callable[[], None]
    ) -> None:
        self._folder = folder
        self._read = read  # one line with its newline; "" at the end of the input
        self._write = write
        self._pause = pause

    def run(self) -> int:
        """Talks until it is told to exit or its input ends; returns the exit status."""
        self._write(_BANNER.format(folder=self._folder))
        self._make_build()
        for line in self._requests():
            if understand(line) == "exit":
                self._write("Goodbye.\n")
                return 0
            if line.strip():
                self._do(understand(line), line.strip())
        self._write("\nMy input has ended, so I stop.\n")
        return 0

    def _requests(self) -> Iterator[str]:
        while True:
            self._write("> ")
            try:
                line = self._read()
            except KeyboardInterrupt:
                self._write("\nNothing to interrupt. Say exit to end me.\n")
                continue
            if not line:
                return
            yield line

    def _do(self, task: Task, line: str) -> None:
        tasks: dict[Task, Callable[[], None]] = {
            "explain": lambda: self._write("I only wanted to practise; nothing is lost. What should I do instead?\n"),
            "clean": self._clean,
            "tests": self._tests,
            "notes": lambda: self._notes(line),
            "plan": self._plan,
            "question": self._question,
            "help": lambda: self._write(_HELP),
        }
        try:
            tasks.get(task, lambda: self._other(line))()
        except KeyboardInterrupt:
            self._write("\nInterrupted. What should I do instead?\n")
        except OSError as error:
            self._write(f"That did not work: {error}.\n")

    def _steps(self, *steps: str) -> None:
        for step in steps:
            self._write(f"* {step}\n")
            self._pause()

    # The tasks

    def _clean(self) -> None:
        self._steps("Looking at what was built")
        if not self._make_build():
            self._write("There is a build here that I did not make; I leave it alone.\n")
            return
        if not self._confirmed("Run rm -rf build? [y/N] "):
            self._write("I left build alone. What should I do instead?\n")
            return
        shutil.rmtree(self._folder / "build")
        self._write("Done: build is gone.\n")

    def _tests(self) -> None:
        self._steps("Collecting tests", "test_login passed", "test_logout passed", "test_report passed")
        self._write("All 3 tests passed.\n")

    def _notes(self, line: str) -> None:
        self._steps("Writing notes.md")
        with (self._folder / "notes.md").open("a", encoding="utf-8") as notes:
            notes.write(f"- {line}\n")
        self._write("Done: notes.md has one more line.\n")

    def _plan(self) -> None:
        self._steps("Reading the folder")
        self._write("My plan:\n  1. run the tests\n  2. write notes\n")
        if self._confirmed("Do you want to proceed? [y/N] "):
            self._tests()
            self._notes("the plan was carried out")
        else:
            self._write("I did not start. What should I do instead?\n")

    def _question(self) -> None:
        self._write("Which colour shall the button have?\n  1. red\n  2. blue\n")
        while True:
            self._write("Choose 1 or 2: ")
            answer = self._read()
            if not answer:
                self._write("\nNo answer, so I choose nothing.\n")
                return
            if answer.strip() in ("1", "2"):
                self._write(f"Thank you, it will be {'red' if answer.strip() == '1' else 'blue'}.\n")
                return

    def _other(self, line: str) -> None:
        self._steps("Thinking about it", "Doing it")
        self._write(f"Done (I only pretend): {line[:200]}\n")

    # Asking and its folder

    def _confirmed(self, prompt: str) -> bool:
        """Ask until the answer is y or n; Enter, an interruption and the end of the input mean no."""
        while True:
            self._write(prompt)
            try:
                answer = self._read()
            except KeyboardInterrupt:
                answer = ""
            if not answer:
                self._write("\n")
                return False
            if answer.strip().lower() in ("y", "yes"):
                return True
            if answer.strip().lower() in ("", "n", "no"):
                return False
            self._write("Please answer y or n.\n")

    def _make_build(self) -> bool:
        """Make ``build/`` unless it is there; False when one is there that is not its own."""
        build = self._folder / "build"
        if not build.exists() and not build.is_symlink():
            (build / "objects").mkdir(parents=True)
            (build / _MARKER).touch()
            (build / "objects" / "app.o").write_text("practice\n", encoding="utf-8")
        return build.is_dir() and not build.is_symlink() and (build / _MARKER).is_file()


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> int:
    """Run in the current folder; CONDUIT_PRACTICE_SPEED scales the pauses (0: none)."""
    try:
        pause_s = max(0.0, float(os.environ.get("CONDUIT_PRACTICE_SPEED", "1"))) * _PAUSE_S
    except ValueError:
        _write("CONDUIT_PRACTICE_SPEED has to be a number, such as 0 or 1.\n")
        return 2
    return Practice(Path.cwd(), sys.stdin.readline, _write, lambda: time.sleep(pause_s)).run()


if __name__ == "__main__":
    sys.exit(main())
