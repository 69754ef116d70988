"""``conduit secret``: the keys that agents and tool servers need, in the vault; values are read, never shown."""

from __future__ import annotations

import sys

import click

from engine.cli.connect import home
from engine.cli.exits import sentences
from engine.cli.show import as_json_text, json_option
from engine.sessions.vault import Vault
from engine.storage.layout import Layout


@click.group()
def secret() -> None:
    """Keep the keys that agents need, encrypted."""


@secret.command(name="set")
@click.argument("name")
@sentences
def set_(name: str) -> None:
    """Keep a value under NAME, such as OPENAI_API_KEY. It is asked for, or read from standard input."""
    value = click.prompt(name, hide_input=True) if sys.stdin.isatty() else sys.stdin.read().rstrip("\n")
    _vault().set(name, value)
    click.echo(f"Kept {name}. Agents that need it get it from their next start on.")


@secret.command(name="list")
@json_option
@sentences
def list_(as_json: bool) -> None:
    """List the names; the values are never shown."""
    vault = _vault()
    names = vault.names()
    alone = vault.alone()
    if as_json:
        as_json_text(names)
    else:
        click.echo("\n".join(names) if names else alone or "No secret yet. Keep one with: conduit secret set NAME")


@secret.command()
@click.argument("name")
@sentences
def remove(name: str) -> None:
    """Forget NAME."""
    _vault().remove(name)
    click.echo(f"Forgot {name}.")


def _vault() -> Vault:
    return Vault(Layout(home()))
