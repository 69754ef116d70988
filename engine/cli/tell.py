"""``conduit tell`` and ``conduit chat``: words to one agent, and the group chat of a project."""

from __future__ import annotations

import sys

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, columns, json_option
from engine.domain.errors import BadRequest


@click.command()
@click.argument("agent")
@click.argument("text", nargs=-1, required=True)
@json_option
@sentences
def tell(agent: str, text: tuple[str, ...], as_json: bool) -> None:
    """Send TEXT to AGENT ("-" reads it from standard input)."""
    message = sys.stdin.read() if text == ("-",) else " ".join(text)
    if not message.strip():
        raise BadRequest("There is nothing to tell: the message is empty.")
    engine = client()
    found = pick.agent(engine.snapshot(), agent)
    result = engine.inject(project=found["projectId"], agent=found["id"], message=message)
    if as_json:
        as_json_text(result)
    elif result["state"] == "delivered":
        click.echo(f"Told {found['name']}.")
    else:
        click.echo(f"{found['name']} is busy; the message waits and is delivered when it is ready.")


@click.command()
@click.argument("project")
@click.argument("text", nargs=-1)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="How many lines to show.")
@json_option
@sentences
def chat(project: str, text: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Read the group chat of PROJECT, or post TEXT to it."""
    engine = client()
    project_id = pick.project(engine.snapshot(), project)["id"]
    posted = [engine.post_chat(project_id=project_id, text=" ".join(text))] if text else None
    entries = posted or engine.chat(project_id=project_id, limit=limit)
    if as_json:
        as_json_text(entries)
    else:
        columns((entry["ts"], entry["sender"], entry["text"]) for entry in entries)
