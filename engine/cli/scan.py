"""``conduit scan``: replays recorded terminal bytes and prints the gates that they raise, one a line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

# Raw bytes carry no times. A program may have waited where it ended a frame (synchronised update, cursor shown again),
# where it is about to draw over what it drew, or where the answer to a question is echoed behind it.
_WAITS = re.compile(
    rb"(?:\x1b\[\?2026l|\x1b\[\?25h)|(?=\x1b\[\?25l|\x1b\[2K\x1b\[1A|\x1b\[\?2026h)"
    rb"|(?:[?:\])] ?)(?=[yYnN](?:[eE][sS]|[oO])?\r?\n)"
)
SETTLE_SECONDS = 0.08


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--cli", default="other", help="Which CLI was recorded (claude, codex, gemini, opencode, gpt, ...).")
@click.option("--size", default="100x30", help="Columns x rows of the recorded terminal.")
@click.option("--cwd", default=None, help="The folder in which shown commands are judged.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def scan(as_json: bool, cli: str, size: str, cwd: str | None, files: tuple[Path, ...]) -> None:
    """Replay recordings (.raw or .cast) and print each gate once."""
    columns, rows = _size(size)
    for file in files:
        for gate in gates(file, cli, columns, rows, cwd or str(Path.cwd())):
            click.echo(json.dumps(gate) if as_json else _plain(gate))


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.lower().partition("x")
    if not (columns.isdigit() and rows.isdigit() and 0 < int(columns) <= 1000 and 0 < int(rows) <= 1000):
        raise click.BadParameter(f"{text} is no size; write columns x rows, such as 100x30.", param_hint="--size")
    return int(columns), int(rows)


def gates(file: Path, cli: str, columns: int, rows: int, cwd: str) -> Iterator[dict[str, Any]]:
    """Every gate of one recording, in order, once each."""
    from engine.gates.detect import Detector
    from engine.gates.sources.screen import ScreenReader
    from engine.runtimes.screen import Emulator

    emulator = Emulator(rows, columns)
    detector = Detector(ScreenReader(), cli, cwd)
    for data, settled in pieces(file):
        emulator.feed(data)
        emulator.responses()
        if settled and not emulator.synchronized:
            screen = emulator.screen()
            yield from (_view(question, file, screen.offset) for question in detector.see(screen)[0])


def pieces(file: Path) -> Iterator[tuple[bytes, bool]]:
    """Bytes, and whether the terminal was quiet after them; raw bytes are cut where a program may have waited."""
    if file.suffix == ".cast":
        yield from _cast(file)
        return
    data = file.read_bytes()
    start = 0
    for match in _WAITS.finditer(data):
        if match.end() > start:
            yield data[start : match.end()], True
            start = match.end()
    yield data[start:], True


def _cast(file: Path) -> Iterator[tuple[bytes, bool]]:
    events: list[tuple[float, bytes]] = []
    relative = False
    clock = 0.0
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines()):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if number == 0 and isinstance(value, dict):
                relative = value.get("version") == 3
                continue
            at, kind, data, *_ = value
            clock = clock + float(at) if relative else float(at)
        except (ValueError, TypeError) as error:
            raise click.ClickException(
                f"{file}, line {number + 1}, is no event of a recording ({error}). Record it again or cut the line off."
            ) from error
        if kind == "o":
            events.append((clock, str(data).encode()))
    for index, (at, data) in enumerate(events):
        last = index + 1 == len(events)
        yield data, last or events[index + 1][0] - at >= SETTLE_SECONDS


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
