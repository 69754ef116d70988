"""Edges: a question appears, a question goes. The same question asked again is a new one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.gates import Choice, KillHeld, Proceed, Question
from engine.gates.sources.command import Surroundings, judge
from engine.ports.runtime import Reader, Screen

_HELD = (Choice("Let it go on", "approve", Proceed()), Choice("Don't run it", "reject", KillHeld()))
# How a CLI echoes a command that it starts. A CLI without an entry echoes nothing that could be relied on.
ECHOES: dict[str, re.Pattern[str]] = {
    "claude": re.compile(r"^[●⏺]\s+Bash\((?P<command>.+)\)\s*$"),
    "codex": re.compile(r"^•\s+Running\s+(?P<command>\S.*)$"),
    "practice": re.compile(r"^\$ (?P<command>\S.*)$"),
}


_NOT_BEGUN = re.compile(r"^\s*⎿\s+Waiting…")  # below an echo whose command still waits for its permission


@dataclass(frozen=True, slots=True)
class _Seen:
    question: Question
    row: int  # absolute: rows scrolled away count too
    above: int  # how often its text stands above it


class Detector:
    """Watches the settled screens of one agent. Call :meth:`see` only with screens that have settled."""

    def __init__(self, reader: Reader, cli: str, cwd: str) -> None:
        self._reader = reader
        self._cli = cli
        self._cwd = cwd
        self._live: list[_Seen] = []

    @property
    def live(self) -> list[Question]:
        """The questions that were live on the last settled screen."""
        return [seen.question for seen in self._live]

    def see(self, screen: Screen) -> tuple[list[Question], list[Question]]:
        """What appeared and what went since the last settled screen."""
        now = [self._place(question, screen) for question in self._reader.questions(screen, self._cli, self._cwd)]
        kept = [(new, old) for new in now if (old := next((o for o in self._live if _same(o, new)), None))]
        old_kept = [old for _, old in kept]
        new_kept = [new for new, _ in kept]
        gone = [old.question for old in self._live if old not in old_kept]
        appeared = [new.question for new in now if new not in new_kept]
        self._live = now
        return appeared, gone

    def forget(self) -> None:
        """After an answer whose question is known to be gone: the same text again is a new question."""
        self._live = []

    def _place(self, question: Question, screen: Screen) -> _Seen:
        last = question.prompt.split("\n")[-1].strip()
        rows = [i for i, line in enumerate(screen.lines) if last and last in line]
        return _Seen(question, rows[-1] if rows else -1, max(0, len(rows) - 1))


def _same(old: _Seen, new: _Seen) -> bool:
    """One question seen twice: same text and choices, and no further copy of it above (its answered older self)."""
    labels = [[(c.label, c.kind) for c in seen.question.choices] for seen in (old, new)]
    alike = (old.question.prompt, old.question.command) == (new.question.prompt, new.question.command)
    return alike and labels[0] == labels[1] and new.above <= old.above


class EchoWatch:
    """Commands that an agent says it has started, where its CLI is known to say so."""

    def __init__(self, cli: str, where: Surroundings) -> None:
        self._pattern = ECHOES.get(cli)
        self._where = where
        self._told: list[str] = []

    def see(self, screen: Screen) -> list[Question]:
        """Harmful commands newly echoed on a settled screen; each echo counts once."""
        if self._pattern is None:
            return []
        below = [*screen.lines[1:], ""]
        commands = [
            m.group("command")
            for line, next_line in zip(screen.lines, below, strict=True)
            if (m := self._pattern.match(line.strip())) and not _NOT_BEGUN.match(next_line)
        ]
        fresh = _added(self._told, commands)
        self._told = commands
        return [q for command in fresh if (q := _held(command, self._where)) is not None]


def _added(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """What ``new`` has behind the longest end of ``old`` that it begins with."""
    for start in range(len(old) + 1):
        tail = list(old[start:])
        if list(new[: len(tail)]) == tail:
            return list(new[len(tail) :])
    return list(new)


def _held(command: str, where: Surroundings) -> Question | None:
    judged = judge(command, where)
    if judged.tier != "harmful":
        return None
    return Question(
        prompt=command,
        command=command,
        choices=_HELD,
        source="regex",
        tier="harmful",
        effects=judged.effects,
        screen_only=judged.screen_only,
        may_have_begun=True,
    )


def forgotten_hold(agent: str) -> Question:
    """An agent that was found stopped with nothing on its screen to say why: only the user lets it go on."""
    return Question(
        prompt=f"{agent} was stopped just before the engine ended, and what for is not known. Let it go on?",
        command=None,
        choices=_HELD,
        source="regex",
        tier="harmful",
        may_have_begun=True,
    )
