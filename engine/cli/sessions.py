"""``conduit sessions``: the lives of agents, newest first, or one of them."""

from __future__ import annotations

import click

from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, columns, json_option


@click.command()
@click.argument("session", required=False)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many to list.")
@json_option
@sentences
def sessions(session: str | None, limit: int, as_json: bool) -> None:
    """List sessions, or show SESSION ("S-12" or an id)."""
    engine = client()
    if session is not None:
        run = engine.session(session=session)
        if as_json:
            as_json_text(run)
        else:
            columns(run.items())
        return
    runs = engine.sessions(limit=limit)
    if as_json:
        as_json_text(runs)
    elif not runs:
        click.echo("No session yet.")
    else:
        columns((r["name"], r["agentName"], r["cli"], r["state"], r["startedAt"], r["reason"] or "") for r in runs)
