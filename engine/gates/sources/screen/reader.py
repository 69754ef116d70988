"""Reads the live questions and the input line off a settled screen: the Reader of the terminal runtimes."""

from collections.abc import Callable

from engine.domain.gates import Question
from engine.gates.sources.command import RealSurroundings, Surroundings
from engine.gates.sources.screen import composer, lines, menus, questions
from engine.gates.sources.screen.catalog import AgentPrompts, agent_prompts
from engine.ports.runtime import InputLine, Screen


class ScreenReader:
    """Pure but for the read-only surroundings in which shown commands are judged."""

    def __init__(self, surroundings: Callable[[str], Surroundings] = RealSurroundings) -> None:
        self._surroundings = surroundings

    def questions(self, screen: Screen, cli: str, cwd: str) -> tuple[Question, ...]:
        """The question that is live on this screen; there is one keyboard, so there is at most one."""
        agent = agent_prompts(cli)
        menu = _menu(screen, agent)
        if menu is not None:
            return (questions.of_menu(screen, menu, agent, self._surroundings(cwd or "/")),)
        if agent.buttons and (buttons := questions.of_buttons(screen, agent, self._surroundings(cwd or "/"))):
            return (buttons,)
        line = lines.find(screen, agent)
        return () if line is None else (lines.question(screen, line, agent, self._surroundings(cwd or "/")),)

    def input_line(self, screen: Screen, cli: str) -> InputLine | None:
        """Where a message can be typed; None while a question is live or the agent is busy."""
        agent = agent_prompts(cli)
        asked = _menu(screen, agent) is not None or lines.find(screen, agent) is not None
        if asked or questions.button_row(screen, agent) is not None:
            return None
        return composer.find(screen, agent)


def _menu(screen: Screen, agent: AgentPrompts) -> menus.Menu | None:
    menu = menus.find(screen)
    return None if menu is not None and composer.holds(screen, menu, agent) else menu
