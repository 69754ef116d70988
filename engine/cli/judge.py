"""``conduit judge``: judges commands, edits and tool calls from standard input, one JSON value a line."""

import json
import sys
from pathlib import Path
from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--cwd", type=click.Path(file_okay=False), default=None, help="The folder where it would run.")
def judge(as_json: bool, cwd: str | None) -> None:
    """Judge what commands, edits and tool calls would do.

    Reads standard input: each line a JSON string (a command), {"edit": {"path", "kind", "diff"?}} or {"tool", "input"}.
    """
    from engine.gates.sources.command import RealSurroundings

    for line in sys.stdin:
        if not line.strip():
            continue
        # A fresh look for every line: what stands on disk may have changed since the last one.
        where = RealSurroundings(cwd or str(Path.cwd()))
        view = describe(_value(line), where)
        click.echo(json.dumps(view) if as_json else _plain(view))
        sys.stdout.flush()


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line.rstrip("\n")  # a bare command is a command too


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
    if isinstance(value, dict) and isinstance(value.get("edit"), dict):
        edit = value["edit"]
        return judge_edit(str(edit.get("path", "")), str(edit.get("kind", "")), where, edit.get("diff"))
    if isinstance(value, dict) and "tool" in value:
        given = value.get("input")
        return judge_tool(str(value["tool"]), given if isinstance(given, dict) else {}, where)
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        return judge_command(value["command"], where)
    return judge_tool("unknown", {}, where)


def _effect(effect: Any) -> dict[str, Any]:
    return {"kind": effect.kind, "targets": list(effect.targets), "place": effect.place, "undo": effect.undo}


def _plain(view: dict[str, Any]) -> str:
    note = f" (approve on a screen: {view['screenOnly']})" if view["screenOnly"] else ""
    return f"{view['tier']:<8} {view['command']}\n         {view['spoken'] or 'Nothing that needs an approval.'}{note}"
