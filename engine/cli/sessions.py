"""``conduit sessions``: the lives of agents; resumed, halted, cancelled, archived, deleted, checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.connect import client
from engine.cli.exits import FAILED, sentences, stop
from engine.cli.show import as_json_text, columns, json_option, plain

if TYPE_CHECKING:
    from engine.domain.wire import SessionView

_LIST = ("--limit", "--archived", "--json", "--help", "-h")


_ROWS = (
    ("session", "name"),
    ("id", "id"),
    ("agent", "agentName"),
    ("cli", "cli"),
    ("state", "state"),
    ("why", "reason"),
    ("began", "startedAt"),
    ("ended", "endedAt"),
    ("exit code", "exitCode"),
    ("ended by", "haltedBy"),
    ("resumes at", "autoResumeAt"),
    ("archived", "archived"),
    ("messages that wait", "queuedMessages"),
    ("record", "control_path"),
    ("work folder", "workspace_path"),
)


class _Group(click.Group):
    """``conduit sessions S-12`` shows that one, ``conduit sessions`` lists them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0].startswith(_LIST):
            args = args if args and args[0] in ("--help", "-h") else ["list", *args]
        elif args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Group)
def sessions() -> None:
    """List sessions, or do something with one ("S-12" or an id)."""


@sessions.command(name="list")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500), help="How many to list.")
@click.option("--archived", is_flag=True, help="Also those that are archived.")
@json_option
@sentences
def list_(limit: int, archived: bool, as_json: bool) -> None:
    """List the latest ones, newest first."""
    runs = client().sessions(limit=limit, archived=archived)
    if as_json:
        as_json_text(runs)
    elif not runs:
        click.echo("No session yet.")
    else:
        columns((r["name"], r["agentName"], r["cli"], r["state"], r["startedAt"], r["reason"] or "") for r in runs)


@sessions.command()
@click.argument("session")
@json_option
@sentences
def show(session: str, as_json: bool) -> None:
    """Show SESSION with its steps and files."""
    _print(client().session(session=session), as_json)


@sessions.command()
@click.argument("session")
@click.option("--at", help="Let it resume by itself at this time, such as 2026-01-31T08:00:00+01:00.")
@json_option
@sentences
def resume(session: str, at: str | None, as_json: bool) -> None:
    """Start SESSION again, in its own conversation and work folder."""
    _done(client(timeout=60).resume_session(session=session, at=at), as_json)


@sessions.command()
@click.argument("session")
@json_option
@sentences
def halt(session: str, as_json: bool) -> None:
    """End the processes of SESSION; it can be resumed."""
    _done(client().halt_session(session=session), as_json)


@sessions.command()
@click.argument("session")
@json_option
@sentences
def cancel(session: str, as_json: bool) -> None:
    """End SESSION for good; what waits for it is not sent."""
    _done(client().cancel_session(session=session), as_json)


@sessions.command()
@click.argument("session")
@click.option("--back", is_flag=True, help="Take it out of the archive.")
@json_option
@sentences
def archive(session: str, back: bool, as_json: bool) -> None:
    """Put SESSION out of sight."""
    _done(client().archive_session(session=session, archived=not back), as_json)


@sessions.command()
@click.argument("session")
@json_option
@sentences
def delete(session: str, as_json: bool) -> None:
    """Remove SESSION and its work folder; a summary stays."""
    result = client().delete_session(session=session)
    if as_json:
        as_json_text(result)
    else:
        click.echo(plain(f"Deleted {session}."))


@sessions.command(name="attach-file")
@click.argument("session")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@sentences
def attach_file(session: str, file: Path, as_json: bool) -> None:
    """Keep FILE with SESSION, where its agent can read it."""
    made = client().attach_file(session=session, name=file.name, data=file.read_bytes())
    if as_json:
        as_json_text(made)
    else:
        click.echo(plain(f"Attached {made['name']} ({made['size']:,} bytes): {made['path']}"))


@sessions.command()
@click.argument("session", required=False)
@json_option
@sentences
def verify(session: str | None, as_json: bool) -> None:
    """Check the record of SESSION (or of the latest 500) against its journal."""
    engine = client()
    names = [session] if session else [run["name"] for run in engine.sessions(limit=500, archived=True)]
    found = [line for name in names for line in engine.verify_session(session=name)["differences"]]
    if as_json:
        as_json_text({"checked": len(names), "differences": found})
    else:
        click.echo("\n".join(map(plain, found)) if found else f"{len(names)} checked: records and journals agree.")
    if found:
        stop(f"{len(found)} differences.", FAILED)


def _print(run: SessionView, as_json: bool) -> None:
    if as_json:
        as_json_text(run)
        return
    there = ((words, run.get(key)) for words, key in _ROWS)
    columns((words, str(value)) for words, value in there if value is not None and value is not False and value != "")
    columns(("step", s["id"], s["agentName"], s["cli"], s["state"]) for s in run["steps"])
    columns(("file", u["id"], f"{u['size']:,} bytes", u["path"]) for u in run["uploads"])


def _done(run: SessionView, as_json: bool) -> None:
    if as_json:
        as_json_text(run)
        return
    when = f"; it resumes by itself at {run['autoResumeAt']}" if run["autoResumeAt"] else ""
    archived = ", archived" if run["archived"] else ""
    click.echo(plain(f"{run['name']} ({run['agentName']}) is {run['state']}{archived}{when}."))
