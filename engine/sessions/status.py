"""An agent's status, derived from what its runtime can know; never written by hand."""

from dataclasses import dataclass, replace

from engine.domain.projects import AgentStatus
from engine.ports.runtime import (
    Activity,
    Asked,
    Conversation,
    Exited,
    Notice,
    Output,
    Said,
    Settled,
    Signal,
    Withdrawn,
)

IDLE_AFTER = 300.0  # seconds of awaiting_input without attention


@dataclass(frozen=True, slots=True)
class Derived:
    """What is known of one life. ``since``: boot seconds at which it last changed or had attention."""

    status: AgentStatus
    since: float
    liveness_only: bool


def started(now: float, *, liveness_only: bool) -> Derived:
    """A life that has just begun runs, as far as anyone knows."""
    return Derived("running", now, liveness_only)


def after(known: Derived, signal: Signal, now: float) -> Derived:
    """The status after ``signal``. A runtime that knows only liveness says running or stopped, nothing between."""
    match signal:
        case Exited():
            return replace(known, status="stopped", since=now)
        case Activity(state="working") if not known.liveness_only:
            return replace(known, status="running", since=now)
        case Activity(state="ready") if not known.liveness_only:
            return known if known.status != "running" else replace(known, status="awaiting_input", since=now)
        case Asked() if not known.liveness_only:
            return replace(known, status="awaiting_input", since=now)
        case Output() | Settled() | Asked() | Withdrawn() | Said() | Activity() | Conversation() | Notice():
            return known


def told(known: Derived, now: float) -> Derived:
    """A message was delivered: back to running."""
    return replace(known, status="running", since=now)


def at(known: Derived, now: float) -> AgentStatus:
    """The status to show now: awaiting_input grows idle after five minutes without attention."""
    if known.status == "awaiting_input" and now - known.since >= IDLE_AFTER:
        return "idle"
    return known.status
