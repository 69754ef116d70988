"""``conduit practice``: talk to the practice agent by keyboard, in its scratch folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.connect import home
from engine.cli.exits import sentences

if TYPE_CHECKING:
    from engine.client import Client

PROJECT, AGENT = "practice", "robin"


def scratch() -> Path:
    """The practice agent's folder, beside the data root: ``~/conduit-practice``."""
    root = home()
    return root.parent / f"{root.name.lstrip('.')}-practice"


@click.command()
@sentences
def practice() -> None:
    """Talk to the practice agent by keyboard."""
    from engine.practice import main

    folder = scratch()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    sys.exit(main())


@click.command(hidden=True)
def practice_agent() -> None:
    """The practice agent in the current folder."""
    from engine.practice import main

    sys.exit(main())


def register(engine: Client) -> str | None:
    """On the first run make the practice project and start its agent: its name; None when it is not the first."""
    folder = scratch()
    if folder.exists() or engine.list_projects():
        return None
    folder.mkdir(parents=True)
    project = engine.create_project(name=PROJECT, cwd=str(folder), description="A safe place to try things.")
    agent = engine.create_agent(
        project_id=project["id"],
        name=AGENT,
        cli="practice",
        role="practises with you",
        command=[sys.executable, "-m", "engine.practice"],
    )
    engine.start_agent(project_id=project["id"], agent_id=agent["id"])
    return AGENT
