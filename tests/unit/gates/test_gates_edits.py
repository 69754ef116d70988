"""What edits and tool calls mean."""

import pytest

from engine.gates.sources.command import FakeSurroundings, judge_edit, judge_tool

WHERE = FakeSurroundings()


@pytest.mark.parametrize(
    "path", ["src/app.py", "notes.md", "/home/ada/app/new/x.ts", ".github/workflows/ci.yml", ".env.example"]
)
def test_edit_inside_the_project_needs_no_approval(path: str) -> None:
    assert judge_edit(path, "update", WHERE).tier == "none"


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".git/config",
        ".claude/settings.json",
        "~/.bashrc",
        "/etc/hosts",
        "../other/x.py",
        ".env",
        "deploy.pem",
        "~/.ssh/authorized_keys",
        "~/.conduit/config/settings.yaml",
        "/home/ada/.codex/config.toml",
        ".husky/pre-push",
        ".envrc",
    ],
)
def test_edit_of_startup_hook_credential_or_outside_is_harmful(path: str) -> None:
    assert judge_edit(path, "update", WHERE).tier == "harmful"


def test_edit_that_deletes_or_is_of_an_unknown_kind_asks() -> None:
    assert judge_edit("src/app.py", "delete", WHERE).tier == "harmful"
    assert judge_edit("src/app.py", "transmogrify", WHERE).tier == "harmful"


def test_shell_tools_are_judged_by_their_command() -> None:
    assert judge_tool("Bash", {"command": "rm -rf x"}, WHERE).tier == "harmful"
    assert judge_tool("run_shell_command", {"command": "npm test"}, WHERE).tier == "none"
    assert judge_tool("shell", {"command": ["rm", "-rf", "a b"]}, WHERE).effects[0].targets == ("a b",)
    assert judge_tool("Bash", {}, WHERE).tier == "harmful"


def test_unknown_tool_is_harmful_and_reading_is_not() -> None:
    assert judge_tool("mcp__x__do", {}, WHERE).tier == "harmful"
    assert judge_tool("Read", {"file_path": "src/app.py"}, WHERE).tier == "none"
    assert judge_tool("Read", {"file_path": "~/.conduit/x"}, WHERE).tier == "harmful"
    assert judge_tool("Write", {"file_path": ".git/hooks/x"}, WHERE).tier == "harmful"
