"""Faults that a person reads: one sentence each, with what, where and what to do."""

from typing import Literal

ConsentCondition = Literal[
    "not_read",
    "stale",
    "not_said",
    "negated",
    "wrong_word",
    "unsure",
    "ambiguous",
    "changed",
    "closed",
    "spent",
    "screen_only",
]


class ConduitError(Exception):
    """Base of every expected fault; ``str(error)`` is the sentence for the person."""

    status = 500


class BadRequest(ConduitError):
    """The body is malformed, or the present state makes the request wrong."""

    status = 400


class Unauthorized(ConduitError):
    """No token, or an unknown one."""

    status = 401


class Forbidden(ConduitError):
    """Wrong Host, Origin or caller, or a kind of token that may not do this."""

    status = 403


class ConsentRefused(Forbidden):
    """A spoken approval that does not meet ``condition``; nothing was delivered."""

    def __init__(self, condition: ConsentCondition, sentence: str) -> None:
        super().__init__(sentence)
        self.condition: ConsentCondition = condition


class NotFound(ConduitError):
    """Names something that does not exist (any more)."""

    status = 404


class Conflict(ConduitError):
    """Already resolved by someone else, or changed meanwhile; ``details`` says what was decided."""

    status = 409

    def __init__(self, sentence: str, details: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.details = details or {}


class NotReady(BadRequest):
    """An agent's CLI can't be started; ``details``: the missing ``command`` or ``variables``, and ``install``."""

    def __init__(self, sentence: str, details: dict[str, str]) -> None:
        super().__init__(sentence)
        self.details = details


class ConversationMissing(BadRequest):
    """The CLI's own store does not have the conversation any more; nothing was started."""

    def __init__(self, agent: str, conversation: str) -> None:
        super().__init__(
            f"conversation_missing: {agent} has no saved conversation {conversation} any more."
            " Resume once more to begin a fresh conversation in the same folder."
        )


class Unavailable(ConduitError):
    """Cannot be done now (disk full, lock held, agent down); says what to do."""

    status = 503
