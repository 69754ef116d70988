"""Questions made of menus and buttons: exact text, command, choices by label, and how bad it is."""

import re

from engine.domain.gates import Choice, Keys, Question
from engine.gates.sources.command import Judgement, Surroundings, judge, judge_edit
from engine.gates.sources.screen import shown
from engine.gates.sources.screen.catalog import AgentPrompts
from engine.gates.sources.screen.choices import kind_of, settled
from engine.gates.sources.screen.menus import Menu
from engine.gates.sources.screen.rows import block_above, joined, last_row, plain
from engine.ports.runtime import Screen

_DOWN, _UP, _RIGHT = "\x1b[B", "\x1b[A", "\x1b[C"
_SHORTCUT = re.compile(r"\((?P<key>[a-z]|esc)\)\s*$")
_EDIT_KINDS = {"create": "create", "delete": "delete"}
BUTTON_DEPTH = 6


def of_menu(screen: Screen, menu: Menu, agent: AgentPrompts, where: Surroundings) -> Question:
    """The question that a live menu asks."""
    rows = block_above(screen, menu.first)
    # A menu without a word above it is read out by its choices.
    texts = joined(screen, rows)
    # The trust question may stand in the middle of a paragraph: then all of the screen's text is what is asked.
    asks = any(text.endswith("?") for text in texts)
    whole = not asks and agent.trust is not None and any(agent.trust.search(text) for text in texts)
    prompt = "\n".join(text for text in texts if text) if whole else _prompt(texts)
    prompt = prompt or "\n".join(option.label for option in menu.options)
    labels = [option.label for option in menu.options]
    numbers = [option.number for option in menu.options]
    choices = [
        Choice(label, kind_of(label), _keys(agent, i, menu.marked, numbers[i], label)) for i, label in enumerate(labels)
    ]
    return _build(prompt, screen, rows, tuple(settled(choices)), agent, where)


def _keys(agent: AgentPrompts, index: int, marked: int, number: int | None, label: str) -> Keys:
    shortcut = _SHORTCUT.search(label)
    if agent.keys == "shortcut" and shortcut:
        return Keys(("\x1b" if shortcut.group("key") == "esc" else shortcut.group("key"),))
    if agent.keys == "digit" and number is not None:
        return Keys((str(number),))
    steps = index - marked
    return Keys(((_DOWN if steps > 0 else _UP),) * abs(steps) + ("\r",))


def _prompt(lines: list[str]) -> str:
    """From the line that asks to the choices; without one, the paragraph above them."""
    texts = [line for line in lines]
    while texts and not texts[-1]:
        texts.pop()
    asks = [i for i, line in enumerate(texts) if line.endswith("?")]
    if asks:
        return "\n".join(line for line in texts[asks[-1] :] if line)
    paragraph: list[str] = []
    for line in reversed(texts):
        if not line:
            break
        paragraph.insert(0, line)
    return "\n".join(paragraph)


def button_row(screen: Screen, agent: AgentPrompts) -> int | None:
    """The row that holds all of the CLI's buttons, near the bottom."""
    if not agent.buttons:
        return None
    bottom = last_row(screen)
    for row in range(bottom, max(-1, bottom - BUTTON_DEPTH), -1):
        at = [screen.lines[row].find(label) for label in agent.buttons]
        if min(at) >= 0 and at == sorted(at):
            return row
    return None


def of_buttons(screen: Screen, agent: AgentPrompts, where: Surroundings) -> Question | None:
    """A row of buttons, the first of which is selected."""
    row = button_row(screen, agent)
    if row is None:
        return None
    rows = block_above(screen, row)
    start = next((i for i in range(len(rows) - 1, -1, -1) if rows[i][1].startswith("△")), 0)
    rows = rows[start:]
    choices = [Choice(label, kind_of(label), Keys((_RIGHT,) * i + ("\r",))) for i, label in enumerate(agent.buttons)]
    prompt = "\n".join(text for text in joined(screen, rows) if text)
    return _build(prompt, screen, rows, tuple(settled(choices)), agent, where)


def _build(
    prompt: str,
    screen: Screen,
    rows: list[tuple[int, str]],
    choices: tuple[Choice, ...],
    agent: AgentPrompts,
    where: Surroundings,
) -> Question:
    command = shown.command_in(screen, rows, agent) or shown.command_of_line(prompt.split("\n")[0])
    judged = judge(command, where) if command else _edit(prompt, rows, agent, where)
    trusted = agent.trust is not None and any(agent.trust.search(text) for _, text in rows)
    routine = judged.tier != "harmful" if judged is not None else trusted
    return Question(
        prompt=prompt,
        command=command,
        choices=choices,
        source="regex",
        tier="routine" if routine else "harmful",
        effects=judged.effects if judged is not None else (),
        screen_only=judged.screen_only if judged is not None else None,
    )


def _edit(prompt: str, rows: list[tuple[int, str]], agent: AgentPrompts, where: Surroundings) -> Judgement | None:
    """A question about a file, where its name is shown."""
    match = next((m for line in prompt.split("\n") if agent.edit is not None and (m := agent.edit.match(line))), None)
    if match is not None and match.groupdict().get("path"):
        return judge_edit(match.group("path"), _EDIT_KINDS.get(match.group("kind"), "edit"), where)
    if agent.edit_path is None or (agent.edit is not None and match is None):
        return None
    paths = [m.group("path") for _, text in rows if (m := agent.edit_path.match(plain(text)))]
    return judge_edit(paths[-1], "edit", where) if paths else None
