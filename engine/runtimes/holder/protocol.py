"""Words that the holder and its client share: names of files, version, framing."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VERSION = 1
SOCKET = "holder.sock"
EXIT = "exit.json"
STATE = "holder.json"
LOCK = "holder.lock"
LOG = "holder.log"
OUTPUT = "output"
ERRORS = "errors"
MODULE = "engine.runtimes.holder"
FRAME = 48 * 1024  # bytes of output in one frame, before base64
LINE_LIMIT = 4 * 1024 * 1024  # bytes; a longer request is refused

Message = dict[str, Any]


def encode(message: Mapping[str, Any]) -> bytes:
    """One message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def write_atomically(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a JSON file in one step, readable by its owner only."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.touch(mode=0o600)
    temporary.write_text(json.dumps(value))
    temporary.replace(path)
