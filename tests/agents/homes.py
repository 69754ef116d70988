"""Private homes for the agent CLIs: the files of a user who has been through the first start, and their environment.

``env = seed("codex", home, project, model.url)`` writes the files below ``home`` and returns the variables that the CLI
needs, HOME among them. ``first_start=True`` only points the CLI at the scripted model and leaves its questions.
"""

import json
import os
from pathlib import Path
from typing import Any

from agents.install import binary

CLAUDE_KEY = "sk-ant-test-" + "0" * 40


def seed(cli: str, home: Path, project: Path, model: str, *, first_start: bool = False) -> dict[str, str]:
    """Write the home of one CLI. ``project`` is trusted unless ``first_start``."""
    home.mkdir(parents=True, exist_ok=True)
    more = {"claude": claude, "codex": codex, "gemini": gemini, "opencode": opencode, "aider": aider}[cli](
        home, project, model, first_start
    )
    return {"HOME": str(home), **more}


def path(*clis: str) -> str:
    """A PATH on which the installed CLIs are found first."""
    folders = [str(program.parent) for cli in clis if (program := binary(cli)) is not None]
    return os.pathsep.join([*folders, os.environ["PATH"]])


def claude(home: Path, project: Path, model: str, first_start: bool) -> dict[str, str]:
    """Claude Code by an API key that is approved already."""
    approved = {"approved": [CLAUDE_KEY[-20:]], "rejected": []}
    kept: dict[str, Any] = {"hasCompletedOnboarding": True, "customApiKeyResponses": approved}
    if not first_start:
        kept["projects"] = {str(project): {"hasTrustDialogAccepted": True}}
    _write(home / ".claude.json", kept)
    return {
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": CLAUDE_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def codex(home: Path, project: Path, model: str, first_start: bool) -> dict[str, str]:
    """Codex with a provider that needs no login."""
    lines = [
        'model = "scripted"',
        'model_provider = "local"',
        "check_for_update_on_startup = false",
        "[model_providers.local]",
        'name = "local"',
        f'base_url = "{model}/v1"',
        'wire_api = "responses"',
        "request_max_retries = 1",
        "stream_max_retries = 1",
    ]
    if not first_start:
        lines += [f"[projects.{json.dumps(str(project))}]", 'trust_level = "trusted"']
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text("\n".join(lines) + "\n")
    return {}


def gemini(home: Path, project: Path, model: str, first_start: bool) -> dict[str, str]:
    """Gemini by an API key."""
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    _write(home / ".gemini" / "settings.json", settings)
    if not first_start:
        _write(home / ".gemini" / "trustedFolders.json", {str(project): "TRUST_FOLDER"})
    return {"GOOGLE_GEMINI_BASE_URL": model, "GEMINI_API_KEY": "test-key"}


def opencode(home: Path, project: Path, model: str, first_start: bool) -> dict[str, str]:
    """opencode with a local provider; it asks no question at its first start."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{model}/v1", "apiKey": "x"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "provider": {"local": provider},
        "model": "local/scripted",
        "small_model": "local/scripted",
        "permission": {"bash": "ask", "edit": "ask"},
        "autoupdate": False,
        "share": "disabled",
    }
    _write(home / ".config" / "opencode" / "opencode.json", settings)
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def aider(home: Path, project: Path, model: str, first_start: bool) -> dict[str, str]:
    """Aider needs no file; its model is given by a flag (``--model openai/scripted``)."""
    return {"OPENAI_API_BASE": f"{model}/v1", "OPENAI_API_KEY": "x"}


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))
