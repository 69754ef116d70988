"""``conduit judge`` and ``conduit scan``: one JSON object a line, in the documented shapes."""

import json
from pathlib import Path

import pytest
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


BAD = [
    "rm x",
    "[1,2]",
    "3",
    "null",
    "{}",
    '{"edit": 3}',
    '{"tool": 3}',
    '{"edit": {"path": 1}}',
    "[" * 100_000,
    "\udcff",
]


@pytest.mark.parametrize("line", BAD, ids=range(len(BAD)))
def test_judge_answers_a_line_that_is_no_value_with_a_sentence(tmp_path: Path, line: str) -> None:
    given = b'"ls"\n' + line.encode("utf-8", "surrogateescape") + b'\n\n"rm a"\n'
    result = CliRunner().invoke(judge, ["--json", "--cwd", str(tmp_path)], input=given)
    first, bad, last = [json.loads(row) for row in result.stdout.splitlines()]
    assert (first["tier"], last["tier"], result.exit_code) == ("none", "harmful", 1)
    assert bad["needsApproval"] is True
    assert bad["error"].startswith("Line 2")


def test_judge_says_bad_lines_on_standard_error_without_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(judge, ["--cwd", str(tmp_path)], input="nonsense\n")
    assert "Line 1 is not JSON" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["x" * 1_000_000, "echo " + "$(" * 5000, "\0rm", "\ud800"], ids=range(4))
def test_judge_holds_what_it_cannot_follow_to_be_harmful(tmp_path: Path, command: str) -> None:
    result = CliRunner().invoke(judge, ["--json", "--cwd", str(tmp_path)], input=json.dumps(command) + "\n")
    assert json.loads(result.stdout)["needsApproval"] is True


def test_judge_names_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    result = CliRunner().invoke(judge, ["--cwd", str(tmp_path / "none")], input='"ls"\n')
    assert result.exit_code != 0
    assert "no folder" in result.stderr


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


@pytest.mark.parametrize("line", ["no json", "[1.0", "7", "[]", '["soon", "o", "x"]', "null"])
def test_line_that_is_no_event_of_a_cast_is_named_in_a_sentence(line: str, tmp_path: Path) -> None:
    cast = tmp_path / "a.cast"
    cast.write_text(json.dumps({"version": 2, "width": 100, "height": 30}) + "\n" + line + "\n")
    result = CliRunner().invoke(scan, ["--json", str(cast)])
    assert result.exit_code == 1
    assert "line 2" in result.output
    assert "Traceback" not in result.output
