"""``conduit documents``: what a project has published, by version."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli import pick
from engine.cli.connect import client
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, columns, json_option, plain


@click.group()
def documents() -> None:
    """List a project's published documents, publish a file, get a version."""


@documents.command(name="list")
@click.argument("project")
@json_option
@sentences
def list_(project: str, as_json: bool) -> None:
    """List the documents of PROJECT."""
    engine = client()
    found = engine.documents(project_id=pick.project(engine.snapshot(), project)["id"])
    if as_json:
        as_json_text(found)
    elif not found:
        click.echo("Nothing is published yet. Publish with: conduit documents publish PROJECT FILE")
    else:
        columns(
            (d["id"], f"v{v['version']}", v["publishedAt"], f"{v['size']:,} bytes", v["file"], d["title"])
            for d in found
            for v in d["versions"]
        )


@documents.command()
@click.argument("project")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title", help="Its title (default: the file's name).")
@click.option("--of", "document", help="Add a version to the document with this id.")
@json_option
@sentences
def publish(project: str, file: Path, title: str | None, document: str | None, as_json: bool) -> None:
    """Publish FILE in PROJECT; a version never changes afterwards."""
    engine = client()
    project_id = pick.project(engine.snapshot(), project)["id"]
    made = engine.publish_document(
        project_id=project_id, title=title or file.name, file=file.name, data=file.read_bytes(), document_id=document
    )
    if as_json:
        as_json_text(made)
    else:
        click.echo(plain(f"Published {made['title']} ({made['id']}) version {made['versions'][-1]['version']}."))


@documents.command()
@click.argument("project")
@click.argument("document")
@click.option("--version", type=click.IntRange(1), help="Which one (default: the latest).")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
@sentences
def get(project: str, document: str, version: int | None, output: Path | None) -> None:
    """Get the bytes of DOCUMENT, to standard output or a file."""
    engine = client()
    project_id = pick.project(engine.snapshot(), project)["id"]
    data = engine.document_content(project_id=project_id, document_id=document, version=version)
    if output is None:
        sys.stdout.buffer.write(data)
    else:
        output.write_bytes(data)
