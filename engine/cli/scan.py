"""``conduit scan``: replays recorded terminal bytes and prints the gates that they raise, one a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from engine.cli.recording import Bytes, Size, events, oddity


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--cli", default="other", help="Which CLI was recorded (claude, codex, gemini, opencode, gpt, ...).")
@click.option("--size", default=None, help="Columns x rows; without it what a .cast says of itself, else 100x30.")
@click.option("--cwd", default=None, help="The folder in which shown commands are judged.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def scan(as_json: bool, cli: str, size: str | None, cwd: str | None, files: tuple[Path, ...]) -> None:
    """Replay recordings (.raw or .cast) and print each gate once; standard error tells what is odd about a file."""
    fixed = _size(size) if size else None
    for file in files:
        if (odd := oddity(file)) is not None:
            click.echo(odd, err=True)
        for gate in gates(file, cli, fixed, cwd or str(Path.cwd())):
            click.echo(json.dumps(gate) if as_json else _plain(gate))


def _size(text: str) -> Size:
    size = Size.read(text)
    if size is None:
        raise click.BadParameter(f"{text} is no size; write columns x rows, such as 100x30.", param_hint="--size")
    return size


def gates(file: Path, cli: str, fixed: Size | None, cwd: str) -> Iterator[dict[str, Any]]:
    """Every gate of one recording, in order, once each; ``fixed`` stands above the sizes that it tells of itself."""
    from engine.gates.detect import Detector
    from engine.gates.sources.screen import ScreenReader
    from engine.runtimes.screen import Emulator

    start = fixed or Size()
    emulator = Emulator(start.rows, start.columns)
    detector = Detector(ScreenReader(), cli, cwd)
    for event in events(file):
        if isinstance(event, Bytes):
            emulator.feed(event.data)
            emulator.responses()
        elif fixed is None:
            emulator.resize(event.rows, event.columns)
        if isinstance(event, Bytes) and event.settled and not emulator.synchronized:
            screen = emulator.screen()
            yield from (_view(question, file, screen.offset) for question in detector.see(screen)[0])


def _view(question: Any, file: Path, offset: int) -> dict[str, Any]:
    return {
        "file": str(file),
        "offset": offset,
        "tier": question.tier,
        "kind": "secret" if not question.speakable else "command" if question.command else "question",
        "prompt": question.prompt,
        "command": question.command,
        "choices": [
            {"label": c.label, "kind": c.kind, "keys": list(getattr(c.reply, "writes", ()))} for c in question.choices
        ],
    }


def _plain(gate: dict[str, Any]) -> str:
    labels = ", ".join(choice["label"] for choice in gate["choices"])
    return f"{gate['file']}:{gate['offset']} {gate['tier']} {gate['prompt']!r} {gate['command'] or ''} [{labels}]"
