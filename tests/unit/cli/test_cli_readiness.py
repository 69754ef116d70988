"""Which agent CLIs are ready: found on the PATH, their version told, what is missing said."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from voice.__main__ import conduit


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_agents_check_tells_found_version_and_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "claude", "echo '2.1.197 (Claude Code)'")
    program(tmp_path, "codex", "exit 3")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    result = CliRunner().invoke(conduit, ["agents", "check", "--json"])
    assert result.exit_code == 0, result.output
    found = {cli["name"]: cli for cli in json.loads(result.stdout)}
    assert (found["claude"]["ready"], found["claude"]["version"], found["claude"]["tried"]) == (True, "2.1.197", True)
    assert (found["codex"]["ready"], found["codex"]["version"]) == (True, None)
    assert "npm install" in found["gemini"]["note"]
    assert "does not tell its version" in found["codex"]["note"]
    assert str(tmp_path / "claude") in CliRunner().invoke(conduit, ["agents", "check"]).output


def test_agents_check_without_any_cli_fails_with_install_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(conduit, ["agents", "check"])
    assert result.exit_code == 1
    assert "npm install -g @anthropic-ai/claude-code" in result.output
