"""What the scripted model does next, read off the prompt itself (pure).

Directives stand anywhere in a prompt and are played in order. Each tool call ends a step; the next step is played when
its result has come back, and after the last one the model says that it is done.

``SHELL{cmd}`` runs a command, ``WRITE{file}`` writes a file, ``SAY{text}`` says something, ``SLOW{s}`` talks for ``s``
seconds, ``THINK{s}`` is silent for ``s`` seconds, ``ERR{status}`` answers with an HTTP error. Braces may nest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

CONTENT = "hello from the scripted model\n"
DONE = "All done."
PACE = 0.1  # seconds between two pieces of slow talk
_NAME = re.compile(r"\b(SHELL|WRITE|SAY|SLOW|THINK|ERR)\{")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool call: a command, or the path of a file to write (always with :data:`CONTENT`)."""

    kind: Literal["shell", "write"]
    argument: str


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model. ``think`` and ``slow`` are seconds."""

    think: float = 0.0
    slow: float = 0.0
    say: str = ""
    error: int | None = None
    tool: Tool | None = None

    def pieces(self) -> Iterator[str | float]:
        """What is said, with the pauses in between as seconds."""
        for number in range(round(self.slow / PACE)):
            yield f"word{number} "
            yield PACE
        if self.say or (not self.slow and self.tool is None):
            yield self.say or DONE


def directives(prompt: str) -> Iterator[tuple[str, str]]:
    """Every directive of a prompt, in order, as (name, argument)."""
    position = 0
    while (match := _NAME.search(prompt, position)) is not None:
        end = _closing(prompt, match.end())
        if end is None:
            return
        yield match[1], prompt[match.end() : end]
        position = end + 1


def steps(prompt: str) -> tuple[Step, ...]:
    """The answers that a prompt asks for, without the last one that says it is done."""
    found: list[Step] = []
    step = Step()
    for name, argument in directives(prompt):
        step = _add(step, name, argument)
        if step.tool is not None or step.error is not None:
            found.append(step)
            step = Step()
    return tuple([*found, step] if step != Step() else found)


def play(prompt: str, results: int) -> Step:
    """The answer to give after ``results`` tool results."""
    all_steps = steps(prompt)
    if results < len(all_steps):
        return all_steps[results]
    return Step(say=DONE if all_steps else f"I heard {len(prompt)} characters.")


def _add(step: Step, name: str, argument: str) -> Step:
    match name:
        case "SHELL":
            return replace(step, tool=Tool("shell", argument))
        case "WRITE":
            return replace(step, tool=Tool("write", argument))
        case "SAY":
            return replace(step, say=step.say + argument)
        case "SLOW":
            return replace(step, slow=float(argument))
        case "THINK":
            return replace(step, think=float(argument))
        case _:
            return replace(step, error=int(argument))


def _closing(text: str, start: int) -> int | None:
    """Where the brace that was opened before ``start`` closes."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return None
