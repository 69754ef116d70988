"""``conduit engine``: the engine in the foreground, until it is told to stop."""

from __future__ import annotations

import sys

import click

from engine.cli.connect import home
from engine.cli.exits import sentences

DEFAULT_PORT = 3200


@click.command()
@click.option(
    "--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535), help="Loopback port; 0 takes any."
)
@sentences
def engine(port: int) -> None:
    """Run the engine in the foreground."""
    from engine.assembly.run import run

    sys.exit(run(home(), port))
