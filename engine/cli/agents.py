"""``conduit agents``: list, add, start, stop, restart, and check which CLIs are ready."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import FAILED, sentences
from engine.cli.show import as_json_text, columns, json_option, plain
from engine.cli.status import state_of, waits_for
from engine.domain.errors import BadRequest, ConduitError, Unavailable

if TYPE_CHECKING:
    from engine.client import Client
    from engine.domain.wire import AgentView


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
@sentences
def agents(context: click.Context, as_json: bool) -> None:
    """List agents, or add, start, stop and check them."""
    if context.invoked_subcommand:
        return
    found = client().snapshot()["agents"]
    if as_json:
        as_json_text(found)
    elif not found:
        click.echo("No agent yet. Add one with: conduit agents add PROJECT NAME --cli CLI")
    else:
        columns((a["id"], f"{a['projectName']}/{a['name']}", a["cli"], state_of(a), waits_for(a)) for a in found)


@agents.command()
@click.argument("project")
@click.argument("name")
@click.option("--cli", "cli_name", help="One of: conduit agents check.")
@click.option("--command", "command_line", help="Any command that works in a terminal, quoted as in a shell.")
@click.option("--role", help="What it is there for.")
@click.option(
    "--cwd", type=click.Path(file_okay=False, path_type=Path), help="Where it works (default: the project's)."
)
@click.option("--start", "start_it", is_flag=True, help="Start it at once.")
@json_option
@sentences
def add(
    project: str,
    name: str,
    cli_name: str | None,
    command_line: str | None,
    role: str | None,
    cwd: Path | None,
    start_it: bool,
    as_json: bool,
) -> None:
    """Add the agent NAME to PROJECT."""
    command = _argv(command_line)
    if not (cli_name or command):
        raise BadRequest("Say which program the agent is: --cli CLI (see conduit agents check) or --command COMMAND.")
    engine = client()
    agent = engine.create_agent(
        project_id=pick.project(engine.snapshot(), project)["id"],
        name=name,
        cli=cli_name or Path(command[0]).name,
        role=role,
        cwd=str(cwd.absolute()) if cwd else None,
        command=command or None,
    )
    if start_it:
        agent = _started(engine, agent)
    _told(agent, "Added", as_json)


def _started(engine: Client, agent: AgentView) -> AgentView:
    try:
        return engine.start_agent(project_id=agent["projectId"], agent_id=agent["id"])
    except ConduitError as error:
        raise Unavailable(f"{agent['name']} was added, but it could not be started. {error}") from error


def _argv(command_line: str | None) -> list[str]:
    try:
        return shlex.split(command_line or "")
    except ValueError as error:
        raise BadRequest(f"The command cannot be read ({error}). Quote it as in a shell.") from error


@agents.command()
@click.argument("agent")
@json_option
@sentences
def start(agent: str, as_json: bool) -> None:
    """Start AGENT."""
    engine = client()
    found = pick.agent(engine.snapshot(), agent)
    _told(engine.start_agent(project_id=found["projectId"], agent_id=found["id"]), "Started", as_json)


@agents.command()
@click.argument("agent")
@json_option
@sentences
def stop(agent: str, as_json: bool) -> None:
    """Stop AGENT and everything that it started."""
    engine = client()
    found = pick.agent(engine.snapshot(), agent)
    _told(engine.stop_agent(project_id=found["projectId"], agent_id=found["id"]), "Stopped", as_json)


@agents.command()
@click.argument("agent")
@json_option
@sentences
def restart(agent: str, as_json: bool) -> None:
    """Stop AGENT and start it again."""
    engine = client()
    found = pick.agent(engine.snapshot(), agent)
    _told(engine.restart_agent(project_id=found["projectId"], agent_id=found["id"]), "Restarted", as_json)


def _told(agent: AgentView, done: str, as_json: bool) -> None:
    if as_json:
        as_json_text(agent)
    else:
        click.echo(plain(f"{done} {agent['projectName']}/{agent['name']} ({agent['id']}): {agent['status']}"))


@agents.command()
@json_option
@sentences
def check(as_json: bool) -> None:
    """Show each CLI: found or not, its version, and what it needs."""
    from engine.cli.readiness import readiness

    found = readiness()
    if as_json:
        as_json_text([cli.as_dict() for cli in found])
    else:
        rows = ((cli.name, cli.ready, cli.version or "-", cli.found or "-", cli.note) for cli in found)
        columns((name, "ready" if ready else "not ready", *rest) for name, ready, *rest in rows)
    if not any(cli.ready for cli in found):
        sys.exit(FAILED)
