"""What a hook sends, and what it is answered with."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.domain.errors import BadRequest

# Tools whose dialog takes more than yes or no: the hook leaves them to the screen.
INTERACTIVE = frozenset({"AskUserQuestion", "ExitPlanMode", "EnterPlanMode"})


class Payload(BaseModel):
    """The fields of a hook's body that the engine reads; others are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    session_id: str = ""
    cwd: str = ""
    tool_name: str = ""
    tool_input: dict[str, Any] = {}
    last_assistant_message: str = ""

    @property
    def call(self) -> str:
        """What is called, with what: two hooks of one call have the same, and nothing else names a request's call."""
        return f"{self.tool_name} {json.dumps(self.tool_input, sort_keys=True)}"


def read(body: Mapping[str, Any]) -> Payload:
    """The payload of a hook; BadRequest names the field that is wrong."""
    try:
        return Payload.model_validate(body)
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadRequest(f"The hook's body is malformed: {field}: {first['msg']}.") from fault


def permission(behaviour: Literal["allow", "deny"], message: str | None) -> dict[str, Any]:
    """The answer to a PermissionRequest. A refusal with a message lets the turn go on; without one it ends."""
    decision: dict[str, Any] = {"behavior": behaviour}
    if behaviour == "deny":
        decision |= {"message": message} if message else {"interrupt": True}
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def ask(reason: str) -> dict[str, Any]:
    """The answer to a PreToolUse that makes the CLI ask, whatever its own settings would let through."""
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": reason,
        }
    }
