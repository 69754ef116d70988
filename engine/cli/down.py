"""``conduit down``: stops the agents, then the engine."""

from __future__ import annotations

import click

from engine.cli.background import stop, stop_agents
from engine.cli.connect import client
from engine.cli.exits import FAILED, sentences
from engine.cli.exits import stop as give_up
from engine.cli.show import plain


@click.command()
@click.option("--keep-agents", is_flag=True, help="Leave the agents working; the next engine finds them again.")
@sentences
def down(keep_agents: bool) -> None:
    """Stop the agents and the engine."""
    engine = client()
    problems = [] if keep_agents else stop_agents(engine)
    if problems:
        give_up(plain("The engine goes on, because not every agent could be stopped. " + " ".join(problems)), FAILED)
    stop(engine)
    click.echo(
        "The engine has stopped; its agents go on." if keep_agents else "The agents and the engine have stopped."
    )
