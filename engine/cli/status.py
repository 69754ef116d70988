"""``conduit status``: projects, agents and what waits, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, columns, json_option, plain

if TYPE_CHECKING:
    from engine.domain.wire import AgentView, OrgSnapshot, VoiceView


@click.command()
@json_option
@sentences
def status(as_json: bool) -> None:
    """Show projects, agents and what waits for you."""
    snapshot = client().snapshot()
    if as_json:
        as_json_text(snapshot)
    else:
        _print(snapshot)


def _print(snapshot: OrgSnapshot) -> None:
    if not snapshot["projects"]:
        click.echo("No project yet. Add one with: conduit projects add NAME --cwd FOLDER")
    for project in snapshot["projects"]:
        click.echo(plain(f"{project['name']}  {project['cwd']}"))
        agents = [agent for agent in snapshot["agents"] if agent["projectId"] == project["id"]]
        columns((f"  {agent['name']}", agent["cli"], state_of(agent), waits_for(agent)) for agent in agents)
    gates, plans = len(snapshot["gates"]), len(snapshot["plans"])
    if gates or plans:
        click.echo(f"Waiting for you: {gates} gate(s) (conduit gates), {plans} plan(s) (conduit plans)")
    click.echo(f"Voice: {_voice(snapshot['voice'])}")


def state_of(agent: AgentView) -> str:
    """Its status with what qualifies it."""
    notes = [note for note, holds in (("frozen", agent["frozen"]), ("liveness only", agent["livenessOnly"])) if holds]
    return f"{agent['status']} ({', '.join(notes)})" if notes else agent["status"]


def waits_for(agent: AgentView) -> str:
    """The question that it waits on, or why it stopped."""
    if agent["pendingGate"]:
        more = f" (+{agent['queuedGates']})" if agent["queuedGates"] else ""
        return f"{agent['pendingGate']['id']}{more}: {agent['pendingGate']['prompt']}"
    return agent["exit"] or ""


def _voice(voice: VoiceView) -> str:
    if not voice["connected"]:
        return "not running"
    return voice["listening"] + (f", {plain(voice['note'])}" if voice["note"] else "")
