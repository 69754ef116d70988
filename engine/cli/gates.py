"""``conduit gates``, ``approve``, ``reject`` and ``answer``: what agents ask, and one decision on one gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal
from uuid import uuid4

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, json_option, plain
from engine.domain.errors import BadRequest

if TYPE_CHECKING:
    from engine.client import Client
    from engine.domain.wire import GateView, ResolveResult


@click.command()
@json_option
@sentences
def gates(as_json: bool) -> None:
    """List the questions that wait for you, with their exact text."""
    open_gates = client().snapshot()["gates"]
    if as_json:
        as_json_text(open_gates)
    elif not open_gates:
        click.echo("Nothing waits for you.")
    for gate in [] if as_json else open_gates:
        show_gate(gate)


def show_gate(gate: GateView) -> None:
    """One gate in full: nothing of its text is cut."""
    queued = "" if gate["head"] else ", behind another gate of this agent"
    click.echo(plain(f"{gate['id']}  {gate['projectName']}/{gate['agentName']}  {gate['tier']}{queued}"))
    for line in gate["prompt"].splitlines():
        click.echo(f"  {plain(line)}")
    if gate["command"]:
        click.echo(f"  command: {plain(gate['command'])}  (in {plain(gate['cwd'])})")
    for choice in gate["choices"]:
        click.echo(f"  {choice['kind']}: {plain(choice['label'])} ({plain(choice['sends'])})")
    if gate["mayHaveBegun"]:
        click.echo("  It may have begun before it was stopped.")
    if gate["screenOnly"]:
        click.echo(f"  Not by voice: {plain(gate['screenOnly'])}")


@click.command()
@click.argument("gate_id", metavar="ID")
@json_option
@sentences
def approve(gate_id: str, as_json: bool) -> None:
    """Let the gate with this ID go on, once."""
    engine = client()
    _decide(engine, pick.gate(engine.snapshot(), gate_id), "approve", None, as_json)


@click.command()
@click.argument("gate_id", metavar="ID|AGENT")
@click.option("--reason", help="Told to the agent once its question is gone.")
@json_option
@sentences
def reject(gate_id: str, reason: str | None, as_json: bool) -> None:
    """Refuse the gate with this ID, or the one that AGENT waits on."""
    engine = client()
    gate = _by_id_or_agent(engine, gate_id)
    _decide(engine, gate, "reject", reason, as_json)


@click.command()
@click.argument("gate_id", metavar="ID")
@click.argument("text")
@json_option
@sentences
def answer(gate_id: str, text: str, as_json: bool) -> None:
    """Answer the gate with this ID by your own TEXT."""
    if not text.strip():
        raise BadRequest("The answer is empty. Say what the agent shall be told, or use: conduit reject ID")
    engine = client()
    _decide(engine, pick.gate(engine.snapshot(), gate_id), "custom", text, as_json)


def _by_id_or_agent(engine: Client, named: str) -> GateView:
    """A refusal may name the agent: whatever it asks, nothing of it runs."""
    snapshot = engine.snapshot()
    if any(gate["id"] == named for gate in snapshot["gates"]) or named.startswith("g-"):
        return pick.gate(snapshot, named)
    agent = pick.agent(snapshot, named)
    if agent["pendingGate"] is None:
        raise BadRequest(f"{agent['name']} does not wait for anything.")
    return agent["pendingGate"]


def _decide(
    engine: Client, gate: GateView, decision: Literal["approve", "reject", "custom"], text: str | None, as_json: bool
) -> None:
    result = engine.resolve(
        project_id=gate["projectId"],
        agent_id=gate["agentId"],
        gate_id=gate["id"],
        decision=decision,
        custom_input=text,
        request_id=str(uuid4()),
    )
    if as_json:
        as_json_text(result)
    else:
        click.echo(told(result))


def told(result: ResolveResult) -> str:
    """What was done, for a person."""
    done = {"approve": "Approved", "reject": "Rejected", "custom": "Answered"}[result["decision"]]
    return plain(f"{done}: {result['agentName']}: {result['action']}")
