"""Identifiers: UUIDv7 for what sorts by start time (RFC 9562), short ones for what people type."""

import re
import secrets
from typing import Literal

from uuid6 import uuid7

Prefix = Literal["p", "a", "g", "pl", "m", "au", "c"]
_SHORT = re.compile(r"^(p|a|g|pl|m|au|c)-[0-9a-f]{10}$")


def new_run_id() -> str:
    """A fresh UUIDv7 as text; ids sort by creation time."""
    return str(uuid7())


def new_id(prefix: Prefix) -> str:
    """A short id such as ``g-3f9a1c20b7``: 40 random bits, unique within one data root."""
    return f"{prefix}-{secrets.token_hex(5)}"


def is_short_id(text: str) -> bool:
    """Whether ``text`` has the shape of an id made by :func:`new_id`."""
    return _SHORT.fullmatch(text) is not None
