"""The settings file of one attempt: which hooks call the engine, and what happens when they can't. Pure."""

import shlex
from collections.abc import Mapping
from typing import Any

TOKEN_VARIABLE = "CONDUIT_HOOK_TOKEN"  # an environment variable's name, not a secret

# Seconds. The longest that a timer of Node's takes is 24.8 days: a question may wait, and an agent may be frozen, for
# as long as that. The others only tell, so they may be short.
PATIENT = 2_000_000
BRIEF = 10

TOLD = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure")
# These read, or talk to the user: they are judged by the engine when it is there, and need no net when it is not.
_READERS = (
    "Read Glob Grep LS NotebookRead TodoWrite TodoRead WebSearch BashOutput ToolSearch Task Agent AskUserQuestion"
    " ExitPlanMode EnterPlanMode TaskCreate TaskUpdate TaskGet TaskList TaskOutput"
)
NET_MATCHER = "^(?!(" + "|".join(_READERS.split()) + ")$)"


def settings(address: str, run_id: str, net: tuple[str, ...]) -> dict[str, Any]:
    """The file's content. ``net`` is the argv of the program that judges when the engine does not answer.

    A command hook that exits with 2 blocks its tool call, any other failure lets it pass: so a net that can't even be
    started exits with 2 here. Its timeout is as long as can be, since a hook that times out lets the call pass too.
    """
    net_command = shlex.join(net) + " || exit 2"
    hooks = {event: [_matched(_http(address, run_id, event, BRIEF))] for event in TOLD}
    hooks["PreToolUse"] = [
        _matched(_http(address, run_id, "PreToolUse", BRIEF)),
        _matched({"type": "command", "command": net_command, "timeout": PATIENT}, NET_MATCHER),
    ]
    hooks["PermissionRequest"] = [_matched(_http(address, run_id, "PermissionRequest", PATIENT))]
    return {"hooks": hooks}


def _http(address: str, run_id: str, event: str, timeout: int) -> dict[str, Any]:
    return {
        "type": "http",
        "url": f"{address}/org/hooks/{run_id}/{event}",
        "headers": {"Authorization": f"Bearer ${TOKEN_VARIABLE}"},
        "allowedEnvVars": [TOKEN_VARIABLE],
        "timeout": timeout,
    }


def _matched(hook: Mapping[str, Any], matcher: str = "*") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [dict(hook)]}
