"""``conduit projects``: list, add, remove."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, columns, json_option, plain


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
@sentences
def projects(context: click.Context, as_json: bool) -> None:
    """List projects, or add and remove one."""
    if context.invoked_subcommand:
        return
    found = client().list_projects()
    if as_json:
        as_json_text(found)
    elif not found:
        click.echo("No project yet. Add one with: conduit projects add NAME --cwd FOLDER")
    else:
        columns((project["id"], project["name"], project["cwd"]) for project in found)


@projects.command()
@click.argument("name")
@click.option("--cwd", type=click.Path(file_okay=False, path_type=Path), help="Where its agents work (default: here).")
@click.option("--description", help="One line on what it is.")
@json_option
@sentences
def add(name: str, cwd: Path | None, description: str | None, as_json: bool) -> None:
    """Add the project NAME."""
    folder = str((cwd or Path.cwd()).absolute())
    project = client().create_project(name=name, cwd=folder, description=description)
    if as_json:
        as_json_text(project)
    else:
        click.echo(plain(f"Added {project['name']} ({project['id']}) in {project['cwd']}."))


@projects.command()
@click.argument("project")
@click.option("--remove-data", is_flag=True, help="Also remove its wiki and shared content.")
@json_option
@sentences
def remove(project: str, remove_data: bool, as_json: bool) -> None:
    """Remove PROJECT; its agents have to be stopped."""
    engine = client()
    found = pick.project(engine.snapshot(), project)
    result = engine.delete_project(project_id=found["id"], remove_data=remove_data)
    if as_json:
        as_json_text(result)
    else:
        click.echo(plain(f"Removed {found['name']}."))
