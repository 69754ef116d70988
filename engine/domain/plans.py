"""Plans: a message that someone proposes to send to an agent, word for word."""

from dataclasses import dataclass
from typing import Literal

PlanDecision = Literal["approve", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A proposal waiting for the user; ``proposed_message`` is the exact text that would be sent."""

    id: str
    project_id: str
    description: str
    target_agent: str  # agent id
    target_project: str  # project id
    proposed_message: str
    created_at: str
