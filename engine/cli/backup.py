"""``conduit backup`` and ``conduit restore``: a consistent copy of a root in use, and a root made of one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from engine.cli.connect import home
from engine.cli.exits import FAILED, sentences, stop
from engine.cli.show import as_json_text, json_option, plain
from engine.ports.clock import SystemClock
from engine.storage.backup import backup as write_backup
from engine.storage.layout import Layout
from engine.storage.restore import restore as read_backup


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@sentences
def backup(file: Path, as_json: bool) -> None:
    """Write all that is in the data folder to FILE (such as conduit.tar.gz); an engine may go on working on it.

    The file holds the vault together with its key: keep it where nobody else can read it.
    """
    report = write_backup(Layout(home()), file.absolute(), SystemClock())
    if as_json:
        as_json_text({"file": str(file.absolute()), **asdict(report)})
        return
    for notice in report.notices:
        click.echo(plain(notice), err=True)
    click.echo(plain(f"Backed up {report.files:,} files ({report.size:,} bytes) to {file}."))


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@sentences
def restore(file: Path, as_json: bool) -> None:
    """Make the data folder (which has to be empty or missing) from the backup FILE, every file checked."""
    report = read_backup(file.absolute(), Layout(home()))
    if as_json:
        as_json_text({"home": str(home()), **asdict(report)})
    else:
        for notice in report.notices:
            click.echo(plain(notice), err=True)
        click.echo(plain(f"Restored {report.projects} projects and {report.sessions} sessions to {home()}."))
    if report.faults:
        stop("\n".join(plain(fault) for fault in report.faults), FAILED)
