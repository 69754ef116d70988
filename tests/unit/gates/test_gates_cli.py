"""``conduit judge`` and ``conduit scan``: one JSON object a line, in the documented shapes."""

import json
from pathlib import Path

from click.testing import CliRunner

from engine.cli.judge import judge
from engine.cli.scan import scan


def _judge(tmp_path: Path, *values: object) -> list[dict[str, object]]:
    lines = "\n".join(json.dumps(value) for value in values) + "\n"
    result = CliRunner().invoke(judge, ["--json", "--cwd", str(tmp_path)], input=lines)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_judge_prints_one_object_a_line_in_its_shape(tmp_path: Path) -> None:
    first, second, third, fourth = _judge(
        tmp_path,
        "rm -rf build",
        "ls",
        {"edit": {"path": "/etc/hosts", "kind": "update"}},
        {"tool": "Nobody", "input": {}},
    )
    assert set(first) == {"command", "tier", "effects", "worst", "spoken", "screenOnly", "needsApproval"}
    assert first["tier"] == "harmful"
    assert first["spoken"] == "Deletes build."
    assert first["effects"] == [
        {"kind": "delete", "targets": ["build"], "place": first["effects"][0]["place"], "undo": "unknown"}
    ]  # type: ignore[index]
    assert (second["tier"], second["needsApproval"], second["worst"]) == ("none", False, None)
    assert third["needsApproval"] and fourth["needsApproval"]


def test_judge_answers_broken_lines_too(tmp_path: Path) -> None:
    result = CliRunner().invoke(judge, ["--json", "--cwd", str(tmp_path)], input='rm -rf x\n[1,2]\n"\\ud800"\nnull\n')
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert [row["tier"] for row in rows] == ["harmful"] * 4


def test_scan_prints_each_gate_of_a_recording_once(tmp_path: Path) -> None:
    raw = tmp_path / "a.raw"
    raw.write_bytes(b"hello\r\nRun rm -rf build? [y/N] y\r\nok\r\nContinue? [y/N] ")
    result = CliRunner().invoke(scan, ["--json", "--cli", "practice", str(raw)])
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert [row["prompt"] for row in rows] == ["Run rm -rf build? [y/N]", "Continue? [y/N]"]
    assert set(rows[0]) == {"file", "offset", "tier", "kind", "prompt", "command", "choices"}
    assert rows[0]["command"] == "rm -rf build"


def test_scan_looks_only_when_a_cast_was_quiet(tmp_path: Path) -> None:
    cast = tmp_path / "a.cast"
    events = [[0.1, "o", "Continue? [y/N] "], [0.11, "o", "\r\njust text\r\n"], [1.0, "o", "Really? [y/N] "]]
    cast.write_text("\n".join(json.dumps(row) for row in [{"version": 2, "width": 100, "height": 30}, *events]))
    result = CliRunner().invoke(scan, ["--json", str(cast)])
    assert [json.loads(line)["prompt"] for line in result.output.splitlines()] == ["Really? [y/N]"]


def test_scan_refuses_a_size_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.raw").write_bytes(b"")
    result = CliRunner().invoke(scan, ["--size", "big", str(tmp_path / "a.raw")])
    assert result.exit_code == 2
    assert "columns x rows" in result.output
