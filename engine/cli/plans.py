"""``conduit plans``: messages that someone proposes to send, word for word, and the decision on each."""

from __future__ import annotations

from typing import Literal
from uuid import uuid4

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, json_option, plain


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
@sentences
def plans(context: click.Context, as_json: bool) -> None:
    """List the plans that wait, or decide on one."""
    if context.invoked_subcommand:
        return
    waiting = client().snapshot()["plans"]
    if as_json:
        as_json_text(waiting)
        return
    if not waiting:
        click.echo("No plan waits for you.")
    for plan in waiting:
        click.echo(plain(f"{plan['id']}  {plan['number']}. {plan['description']}  (to {plan['targetAgentName']})"))
        for line in plan["proposedMessage"].splitlines():
            click.echo(f"  {plain(line)}")
        if plan["maybeSent"]:
            click.echo("  Maybe sent already: the engine was interrupted while it delivered this.")


@plans.command()
@click.argument("plan_id", metavar="ID")
@json_option
@sentences
def approve(plan_id: str, as_json: bool) -> None:
    """Send the message of the plan with this ID."""
    _decide(plan_id, "approve", None, as_json)


@plans.command()
@click.argument("plan_id", metavar="ID")
@click.option("--reason", help="Kept in the audit.")
@json_option
@sentences
def reject(plan_id: str, reason: str | None, as_json: bool) -> None:
    """Drop the plan with this ID; nothing is sent."""
    _decide(plan_id, "reject", reason, as_json)


def _decide(plan_id: str, decision: Literal["approve", "reject"], reason: str | None, as_json: bool) -> None:
    engine = client()
    plan = pick.plan(engine.snapshot(), plan_id)
    result = engine.resolve_plan(
        project_id=plan["projectId"], plan_id=plan["id"], decision=decision, reason=reason, request_id=str(uuid4())
    )
    if as_json:
        as_json_text(result)
    else:
        done = "Rejected, nothing was sent" if decision == "reject" else f"Approved, the message is {result['state']}"
        click.echo(f"{done}: {plain(plan['description'])}")
