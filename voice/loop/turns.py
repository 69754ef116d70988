"""How finished the words before a pause are: decides how much silence ends the turn (pure)."""

from collections.abc import Sequence

from voice.frames import Completeness
from voice.understand.intents import Intent, Reading, Understanding, Understood, Unfinished, UnknownName


def completeness(understanding: Understanding, readings: Sequence[Reading], said: str) -> Completeness:
    """``readings``: n-best, best first; ``said``: the best one, without a wake phrase in front.

    A consent waits long, since what takes it back may follow. What holds the user's own words may go on, and so may a
    beginning. A command that only another reading, or the ear for near-misses, found is whole but less sure.
    """
    understood = understanding.understand(readings)
    if isinstance(understood, Intent) and understood.name in understanding.grammar.approving:
        return "consent"
    found = understanding.completeness(said)
    if found == "complete":
        return "complete" if understood is not None else "unknown"
    return "open" if found == "dangling" or _may_go_on(understood) else "unknown"


def _may_go_on(understood: Understood) -> bool:
    if isinstance(understood, Intent):
        return understood.in_own_words
    return isinstance(understood, UnknownName | Unfinished)
