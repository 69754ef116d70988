"""Surroundings in which nothing is known: for judging at once, before anyone has looked at files or git."""

from pathlib import Path

from engine.gates.sources.command import FakeSurroundings, Surroundings
from engine.storage.layout import data_root


def blind(cwd: str) -> Surroundings:
    """A world of which only the place is known; what can't be looked up counts against a command.

    A freeze must not wait for git, so the screen is judged in here first; the gate is judged again, eyes open, while
    its agent is frozen.
    """
    return FakeSurroundings(cwd=cwd, project=cwd, home=str(Path.home()), conduit_home=str(data_root()))
