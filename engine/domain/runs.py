"""Runs: each life of an agent; a session is a root run and the steps that it starts."""

from dataclasses import dataclass
from typing import Literal

RunState = Literal[
    "starting",
    "working",
    "waiting",
    "idle",
    "halted",
    "process_lost",
    "failed",
    "finished",
    "cancelled",
]

_LIVE: frozenset[RunState] = frozenset(("starting", "working", "waiting", "idle"))
_ENDS: tuple[RunState, ...] = ("halted", "process_lost", "failed", "finished", "cancelled")

RUN_MOVES: dict[RunState, frozenset[RunState]] = {
    "starting": frozenset(("working", "waiting", "idle", *_ENDS)),
    "working": frozenset(("waiting", "idle", *_ENDS)),
    "waiting": frozenset(("working", "idle", *_ENDS)),
    "idle": frozenset(("working", "waiting", *_ENDS)),
    # A resume starts the same session again; a holder found alive after all takes it back; cancelled is over.
    "halted": frozenset(("starting", "cancelled")),
    "process_lost": frozenset(("starting", "working", "waiting", "idle", "cancelled")),
    "failed": frozenset(("starting", "cancelled")),
    "finished": frozenset(("starting",)),
    "cancelled": frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One life of an agent, as kept in run.json (authoritative)."""

    id: str  # UUIDv7
    number: int  # people say "S-12"
    project_id: str
    agent_id: str
    agent_name: str
    cli: str
    state: RunState
    started_at: str
    control_path: str
    workspace_path: str
    updated_at: str
    root_id: str | None = None  # None for a root run
    ended_at: str | None = None
    exit_code: int | None = None
    reason: str | None = None  # why it ended, for a person
    conversation_id: str | None = None  # the CLI's own saved conversation
    output_offset: int = 0  # how much of the holder's output has been read and judged


def is_live(state: RunState) -> bool:
    """Whether a process is expected behind a run in this state."""
    return state in _LIVE
