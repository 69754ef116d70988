"""Questions of one line that wait at the cursor. Pure but for the surroundings of the judge."""

import re
from dataclasses import dataclass

from engine.domain.gates import Choice, Keys, Question, Tier
from engine.gates.sources.command import Judgement, Surroundings, judge
from engine.gates.sources.screen import shown
from engine.gates.sources.screen.catalog import AgentPrompts, LinePrompt, line_prompts
from engine.gates.sources.screen.choices import ESCAPE, kind_of, settled, typed
from engine.gates.sources.screen.rows import cursor_line, plain
from engine.ports.runtime import Screen

MAX_TYPED = 3  # characters of a half-typed answer behind the question
MAX_LINE = 2000
_LETTER = re.compile(r"/\((?P<key>[A-Z])\)(?P<label>[^/\[]*)")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A line prompt that matched: its text without what was typed, and its first row."""

    kind: LinePrompt
    text: str
    first: int
    match: re.Match[str]


def find(screen: Screen, agent: AgentPrompts) -> Waiting | None:
    """The question under the cursor, or None: the cursor has to wait right behind it, with nothing below."""
    line = cursor_line(screen)
    text = line.text[-MAX_LINE:]
    if not line.at_end or not text.strip() or agent.composer.match(text.rstrip()):
        return None
    for kind in line_prompts():
        if (match := kind.match.match(plain_left(text))) is None or not _reaches(match, plain_left(text), kind):
            continue
        if kind.needs is not None and not any(
            kind.needs.search(row) for row in screen.lines[max(0, line.first - 8) : line.first]
        ):
            continue
        if kind.mode == "pager" and not _is_pager(screen, text, kind.full):
            continue
        return Waiting(kind, match.group().rstrip(), line.first, match)
    return None


def plain_left(text: str) -> str:
    """The line without a box's left edge."""
    return re.sub(r"^[│┃|]\s?", "", text)


def _reaches(match: re.Match[str], text: str, kind: LinePrompt) -> bool:
    """Only a short half-typed answer may stand behind the question."""
    rest = text[match.end() :].strip()
    if kind.mode in ("text", "secret", "any", "pager"):
        return not rest
    return len(rest) <= MAX_TYPED and rest.lower() in ("", "y", "n", "ye", "yes", "no")


def _is_pager(screen: Screen, text: str, full: bool) -> bool:
    """A colon or a file's name alone waits only on the last row of a screen that is full."""
    if not full and text.strip() != ":":
        return True
    filled = sum(1 for line in screen.lines[: screen.cursor_row] if line.strip())
    last = screen.cursor_row >= len(screen.lines) - 1
    return last and (
        (screen.alternate and filled >= screen.cursor_row - 1) if full else (screen.alternate or filled > 2)
    )


def question(screen: Screen, waiting: Waiting, agent: AgentPrompts, where: Surroundings) -> Question:
    """The question in full."""
    kind = waiting.kind
    command = _command(screen, waiting)
    judged = judge(command, where) if command else None
    above = [t for t in (plain(screen.lines[r]) for r in range(max(0, waiting.first - kind.above), waiting.first)) if t]
    return Question(
        prompt="\n".join([*above, waiting.text.strip()]),
        command=command,
        choices=_choices(waiting),
        source="regex",
        tier=_tier(waiting, judged, agent),
        effects=judged.effects if judged is not None else (),
        screen_only=judged.screen_only if judged is not None else None,
        speakable=kind.mode != "secret",
    )


def _command(screen: Screen, waiting: Waiting) -> str | None:
    if waiting.kind.mode not in ("words", "keys", "text"):
        return None
    text = waiting.text.strip()
    if waiting.kind.id == "aider" and re.match(r"(?i)run shell commands?\?", text):
        return "\n".join(shown.rows_of_subject(screen, waiting.first)) or None
    return shown.command_of_line(text)


def _choices(waiting: Waiting) -> tuple[Choice, ...]:
    kind = waiting.kind
    if kind.mode == "words":
        choices = [typed("Yes", "approve", kind.accept), typed("No", "reject", kind.refuse)]
        for letter in _LETTER.finditer(waiting.match.groupdict().get("more") or ""):
            label = (letter.group("key") + letter.group("label")).strip()
            choices.append(
                typed(
                    label,
                    "always" if kind_of(label) in ("always", "reject") and letter.group("key") in "DA" else "other",
                    letter.group("key").lower(),
                )
            )
        return settled(choices)
    if kind.mode == "any":
        return (Choice("Continue", "approve", Keys(("\r",))), ESCAPE)
    if kind.mode == "pager":
        return (Choice("Next page", "approve", Keys((" ",))), Choice("Quit", "reject", Keys(("q",))))
    return (ESCAPE,)


def _tier(waiting: Waiting, judged: Judgement | None, agent: AgentPrompts) -> Tier:
    if waiting.kind.tier is not None and judged is None:
        return waiting.kind.tier
    if judged is not None:
        return "harmful" if judged.tier == "harmful" else "routine"
    routine = agent.routine is not None and agent.routine.search(waiting.text.strip()) is not None
    return "routine" if routine else "harmful"
