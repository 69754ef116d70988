"""Why a call of an agent's tool has to be asked about, whatever the agent's own settings allow."""

from collections.abc import Mapping
from typing import Any

from engine.gates.sources.command import Surroundings, judge_tool, spoken

# Tools that do nothing by themselves: what they start comes as calls of its own, or they only talk to the user.
_NAMES = (
    "agent askuserquestion bashoutput enterplanmode exitplanmode killbash killshell listmcpresourcestool skill"
    " slashcommand task taskcreate taskget tasklist taskoutput taskstop taskupdate toolsearch websearch"
)
_INERT = frozenset(_NAMES.split())


def why_ask(tool: str, given: Mapping[str, Any], where: Surroundings) -> str | None:
    """A sentence when the call is harmful, else None."""
    if tool.lower() in _INERT:
        return None
    judged = judge_tool(tool, given, where)
    if judged.tier != "harmful":
        return None
    return spoken(judged) or "Nothing is known of what this would do."
