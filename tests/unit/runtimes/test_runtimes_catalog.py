"""Which agents there are, and what they are given."""

import pytest

from engine.domain.errors import NotFound
from engine.runtimes import catalog


def test_every_supported_cli_has_an_entry() -> None:
    assert set(catalog.load().ids) == {"claude", "codex", "gemini", "opencode", "gpt", "nemotron", "practice"}


def test_agent_gets_an_allow_listed_environment_and_never_our_tokens() -> None:
    source = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C.UTF-8",
        "GROQ_API_KEY": "k",
        "ANTHROPIC_API_KEY": "other",
        "CONDUIT_TOKEN": "secret",
        "CONDUIT_HOME": "/data",
        "CONDUIT_RUN": "outer",
        "TERM": "dumb",
    }
    env = catalog.environment(catalog.load().entry("gpt"), source)
    assert env == {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C.UTF-8", "GROQ_API_KEY": "k", "TERM": "xterm-256color"}


def test_missing_program_is_named_with_its_install_line(tmp_path) -> None:
    fault = catalog.preflight(catalog.load().entry("claude"), {"PATH": str(tmp_path)})
    assert fault is not None
    assert "npm install -g @anthropic-ai/claude-code" in str(fault)
    assert fault.details == {"command": "claude", "install": "npm install -g @anthropic-ai/claude-code"}


def test_everything_that_is_missing_is_named_at_once(tmp_path) -> None:
    fault = catalog.preflight(catalog.load().entry("gpt"), {"PATH": str(tmp_path)})
    assert fault is not None
    assert "aider" in str(fault)
    assert "GROQ_API_KEY" in str(fault)
    assert fault.details == {"command": "aider", "variables": "GROQ_API_KEY", "install": "pip install aider-chat"}


def test_missing_key_is_named(tmp_path) -> None:
    program = tmp_path / "aider"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    entry = catalog.load().entry("gpt")
    fault = catalog.preflight(entry, {"PATH": str(tmp_path)})
    assert fault is not None
    assert "GROQ_API_KEY" in str(fault)
    assert fault.details == {"variables": "GROQ_API_KEY"}
    assert catalog.preflight(entry, {"PATH": str(tmp_path), "GROQ_API_KEY": "k"}) is None


def test_registered_command_is_an_entry_of_its_own() -> None:
    entry = catalog.load().entry("mine", command=("my-agent", "--x"))
    assert entry.argv(("--y",)) == ("my-agent", "--x", "--y")


def test_unknown_cli_says_which_are_known() -> None:
    with pytest.raises(NotFound, match="claude, codex"):
        catalog.load().entry("nope")


def test_no_entry_answers_for_the_user() -> None:
    for cli in catalog.load().ids:
        arguments = catalog.load().entry(cli).argv()
        assert not {"--yes-always", "--yolo", "--dangerously-skip-permissions", "--full-auto"} & set(arguments)


def test_known_cli_in_its_terminal_gets_its_own_variables_and_another_command_none() -> None:
    source = {"PATH": "/bin", "GEMINI_API_KEY": "k", "GROQ_API_KEY": "other"}
    entry = catalog.load().entry("gemini", command=("gemini",))
    assert entry.runtime == "pty"
    assert catalog.environment(entry, source).get("GEMINI_API_KEY") == "k"
    assert "GROQ_API_KEY" not in catalog.environment(entry, source)
    assert "GEMINI_API_KEY" not in catalog.environment(catalog.load().entry("mine", command=("gemini",)), source)
