"""One simple command on its way to its judge, and the bench that judges share while they read a line."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.words import Word

MAX_STEPS = 4000  # simple commands and nested texts of one judgement
MAX_DEPTH = 12
MAX_SECONDS = 4.0

Taint = Literal["plain", "remote", "secret"]


@dataclass(frozen=True, slots=True)
class Feed:
    """What stands on a command's standard input: its text when the line tells it, and where it comes from."""

    text: str | None
    taint: Taint = "plain"


@dataclass(slots=True)
class Scope:
    """What a shell knows at one point of the line. ``cwd`` is None once it cannot be told."""

    cwd: str | None
    variables: dict[str, list[Word]] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)

    def fork(self) -> "Scope":
        """A subshell's own copy."""
        return Scope(self.cwd, dict(self.variables), dict(self.functions))


@dataclass(frozen=True, slots=True)
class Call:
    """A simple command: program by its base name, arguments, and its surroundings on the line."""

    name: str
    args: tuple[Word, ...]
    scope: Scope
    stdin: Feed | None = None
    env: tuple[tuple[str, str], ...] = ()
    raw_name: str = ""
    wrapped: bool = False  # behind sudo, env, xargs, ...: the name may be no program at all

    @property
    def texts(self) -> list[str]:
        """The arguments as text."""
        return [word.text for word in self.args]

    def shifted(self, by: int = 1) -> "Call | None":
        """The call made of the arguments from ``by`` on, or None when nothing is left."""
        rest = self.args[by:]
        if not rest:
            return None
        name = rest[0].text
        return replace(self, name=base_name(name), raw_name=name, args=rest[1:], wrapped=True)


def base_name(name: str) -> str:
    """``/bin/RM.exe`` and ``\\rm`` are rm to whoever runs them."""
    short = name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    return short.removesuffix(".exe").removesuffix(".EXE").removesuffix(".cmd")


class TooMuch(Exception):
    """The command is larger than the judge's limits; it counts as harmful."""


@dataclass(slots=True)
class Bench:
    """Collects findings and keeps the limits. ``run`` judges a nested text, ``judge_call`` a nested command."""

    where: Surroundings
    run: "Callable[[Bench, str, Scope, Feed | None], None]"
    judge_call: "Callable[[Bench, Call], None]"
    findings: list[Finding] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    depth: int = 0
    steps: int = 0
    deadline: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)

    def step(self) -> None:
        """Count one step; raises :class:`TooMuch` past the limits."""
        self.steps += 1
        if self.steps > MAX_STEPS or time.monotonic() > self.deadline:
            raise TooMuch

    def add(self, findings: Iterable[Finding]) -> None:
        """Keep what a program's judge found."""
        self.findings.extend(findings)

    def nested(self, text: str, scope: Scope, stdin: Feed | None = None) -> None:
        """Judge a text that a shell would run."""
        self.step()
        if self.depth >= MAX_DEPTH:
            raise TooMuch
        self.depth += 1
        try:
            self.run(self, text, scope, stdin)
        finally:
            self.depth -= 1


def unknown(what: str) -> Finding:
    """The finding for what cannot be judged."""
    return found("unknown", (what,), "unknown", "unknown", undo="unknown", noun="command")
