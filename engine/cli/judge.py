"""``conduit judge``: judges commands, edits and tool calls from standard input, one JSON value a line."""

import json
import sys
from pathlib import Path
from typing import Any

import click

MAX_LINE = 4_000_000  # bytes; a longer line is refused, a long command is judged as too long to follow


class BadLine(ValueError):
    """A line that is no value to judge; the text says what to do."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--cwd", type=click.Path(file_okay=False), default=None, help="The folder where it would run.")
def judge(as_json: bool, cwd: str | None) -> None:
    """Judge what commands, edits and tool calls would do.

    Reads standard input: each line a JSON string (a command), {"edit": {"path", "kind", "diff"?}} or {"tool", "input"}.
    A line of another shape gets a line with an "error" (without --json: on standard error), and the exit code is 1.
    """
    from engine.gates.sources.command import RealSurroundings

    folder = cwd or str(Path.cwd())
    if not Path(folder).is_dir():
        raise click.ClickException(f"There is no folder {folder}. Give --cwd a folder that exists.")
    faults = 0
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        if not raw.strip():
            continue
        try:
            # A fresh look for every line: what stands on disk may have changed since the last one.
            view = describe(value_of(raw, number), RealSurroundings(folder))
        except BadLine as fault:
            faults += 1
            click.echo(
                json.dumps({"error": str(fault), "tier": "harmful", "needsApproval": True}) if as_json else str(fault),
                err=not as_json,
            )
        else:
            click.echo(json.dumps(view) if as_json else _plain(view))
        sys.stdout.flush()
    sys.exit(1 if faults else 0)


def value_of(raw: bytes, number: int) -> Any:
    """The value of one line; raises :class:`BadLine` where it is none that can be judged."""
    if len(raw) > MAX_LINE:
        raise BadLine(f"Line {number} has {len(raw)} bytes, the limit is {MAX_LINE}. It was not judged.")
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadLine(f"Line {number} is not UTF-8. Give one JSON value a line.") from None
    except (ValueError, RecursionError):
        raise BadLine(f'Line {number} is not JSON. Give a JSON string or object a line, for example "ls".') from None
    if (wrong := _misshapen(value)) is not None:
        raise BadLine(f"Line {number}: {wrong}")
    return value


def _misshapen(value: Any) -> str | None:
    """What is wrong with the shape of a value, or None."""
    if isinstance(value, str):
        return None
    if not isinstance(value, dict):
        return 'a value has to be a string, {"edit": {...}} or {"tool", "input"}.'
    if "edit" in value:
        edit = value["edit"]
        good = isinstance(edit, dict) and isinstance(edit.get("path"), str) and isinstance(edit.get("kind", ""), str)
        good = good and isinstance(edit.get("diff"), str | None)
        return None if good else '"edit" has to be {"path": text, "kind": text, "diff"?: text}.'
    if "tool" in value:
        good = isinstance(value["tool"], str) and isinstance(value.get("input", {}), dict)
        return None if good else '"tool" has to be text, and "input" an object.'
    return None if isinstance(value.get("command"), str) else 'an object has to have "edit", "tool" or "command".'


def describe(value: Any, where: Any) -> dict[str, Any]:
    """The judgement of one value in the shape that this command prints."""
    from engine.gates.sources.command import spoken

    judged = _judged(value, where)
    worst = judged.worst
    return {
        "command": judged.command,
        "tier": judged.tier,
        "effects": [_effect(effect) for effect in judged.effects],
        "worst": _effect(worst) if worst else None,
        "spoken": spoken(judged),
        "screenOnly": judged.screen_only,
        "needsApproval": judged.tier != "none",
    }


def _judged(value: Any, where: Any) -> Any:
    from engine.gates.sources.command import judge as judge_command
    from engine.gates.sources.command import judge_edit, judge_tool

    if isinstance(value, str):
        return judge_command(value, where)
    if "edit" in value:
        edit = value["edit"]
        return judge_edit(edit["path"], edit.get("kind", ""), where, edit.get("diff"))
    if "tool" in value:
        return judge_tool(value["tool"], value.get("input", {}), where)
    return judge_command(value["command"], where)


def _effect(effect: Any) -> dict[str, Any]:
    return {"kind": effect.kind, "targets": list(effect.targets), "place": effect.place, "undo": effect.undo}


def _plain(view: dict[str, Any]) -> str:
    note = f" (approve on a screen: {view['screenOnly']})" if view["screenOnly"] else ""
    return f"{view['tier']:<8} {view['command']}\n         {view['spoken'] or 'Nothing that needs an approval.'}{note}"
