"""Prints: JSON for scripts, aligned columns for people; text of agents never reaches the terminal raw."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """``--json``: print one JSON value instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON value for scripts.")(command)


def as_json_text(value: object) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def plain(text: object) -> str:
    """``text`` as one visible line: control characters are shown, never sent to the terminal."""
    return "".join(char if char.isprintable() else _visible(char) for char in str(text))


def _visible(char: str) -> str:
    return {"\n": " ⏎ ", "\t": " ⇥ "}.get(char, f"\\u{ord(char):04x}")


def columns(rows: Iterable[Sequence[object]]) -> None:
    """Rows with their columns aligned; the last column may be long."""
    cells = [[plain(cell) for cell in row] for row in rows]
    if not cells:
        return
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]) - 1)]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        click.echo("  ".join([*padded, row[-1]]).rstrip())
