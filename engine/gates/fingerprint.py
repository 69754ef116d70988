"""Fingerprint of a gate: any change of what would happen makes it another gate."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.domain.gates import Choice, Keys, Question, Structured
from engine.gates.sources.command import Surroundings, judge

DIGEST_LIMIT = 4 * 1024 * 1024  # bytes of one script; what is longer counts by size and time as well
FILES_LIMIT = 64


def fingerprint(question: Question, where: Surroundings, branch: str | None) -> str:
    """SHA-256 hex over command, cwd, branch, choices, source, prompt and digests of local scripts that it runs."""
    scripts = judge(question.command, where).scripts if question.command else ()
    parts = {
        "command": question.command,
        "prompt": question.prompt,
        "cwd": where.cwd,
        "branch": branch,
        "choices": [_choice(choice) for choice in question.choices],
        "source": question.source,
        "handle": question.handle,
        "scripts": script_digests(scripts),
    }
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _choice(choice: Choice) -> list[Any]:
    reply = choice.reply
    detail: Any = None
    if isinstance(reply, Structured):
        detail = [reply.option, reply.message]
    elif isinstance(reply, Keys) and not any(key.startswith("\x1b[") for key in reply.writes):
        detail = list(reply.writes)  # arrows depend on where the marker stands, which changes nothing
    return [choice.label, choice.kind, type(reply).__name__, detail]


def script_digests(scripts: Iterable[str]) -> list[list[str]]:
    """Path and digest of each script, in order; a missing one has the digest ``missing``."""
    return [[path, _digest(Path(path))] for path in list(scripts)[:FILES_LIMIT]]


def _digest(path: Path) -> str:
    try:
        if not path.is_file():
            return "missing"
        with path.open("rb") as file:
            data = file.read(DIGEST_LIMIT + 1)
        extra = str(path.stat()) if len(data) > DIGEST_LIMIT else ""
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return hashlib.sha256(data + extra.encode()).hexdigest()
