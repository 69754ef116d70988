"""Projects and the agents that work in them."""

from dataclasses import dataclass
from typing import Literal

AgentStatus = Literal["running", "awaiting_input", "idle", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A place where agents work; ``name`` is also its folder under shared_content/ and wiki/."""

    id: str
    name: str
    cwd: str
    created_at: str  # ISO 8601, UTC
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One coding agent of a project. Its live status is derived, never stored as truth."""

    id: str
    project_id: str
    name: str
    cli: str  # a catalog entry, or a registered command's name
    cwd: str
    command: tuple[str, ...] | None = None  # argv of a command that the user registered
    role: str | None = None
    pid: int | None = None
    codex_thread_id: str | None = None
    flags: tuple[str, ...] = ()
    session_id: str | None = None  # root id of its latest run
