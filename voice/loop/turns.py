"""Whom a turn was meant for, and how finished its words are: that decides how much silence ends it (pure)."""

from collections.abc import Sequence

from voice.frames import Completeness, Hypothesis
from voice.listen.wake import WakePhrases
from voice.understand.intents import Intent, Reading, Understanding, Understood, Unfinished, UnknownName


def woken(
    wake: WakePhrases, understanding: Understanding, readings: Sequence[Hypothesis]
) -> tuple[Hypothesis, ...] | None:
    """``readings`` without the wake phrase, or None where none has it; nothing is left of a phrase alone.

    A less likely reading may wake, never approve.
    """
    rest = wake.taken_off(readings)
    if not rest:
        return None
    understood = understanding.understand(rest)
    if _approves(understanding, understood) and wake.find(readings[0].text) is None:
        return ()
    return rest if rest[0].text else ()


def completeness(understanding: Understanding, readings: Sequence[Reading]) -> Completeness:
    """``readings``: n-best, best first, without a wake phrase in front.

    A consent waits long, since what takes it back may follow. What holds the user's own words may go on, and so may a
    beginning. A command that only another reading, or the ear for near-misses, found is whole but less sure.
    """
    understood = understanding.understand(readings)
    if _approves(understanding, understood):
        return "consent"
    found = understanding.completeness(readings[0].text if readings else "")
    if found == "complete":
        return "complete" if understood is not None else "unknown"
    return "open" if found == "dangling" or _may_go_on(understood) else "unknown"


def _approves(understanding: Understanding, understood: Understood) -> bool:
    return isinstance(understood, Intent) and understood.name in understanding.grammar.approving


def _may_go_on(understood: Understood) -> bool:
    if isinstance(understood, Intent):
        return understood.in_own_words
    return isinstance(understood, UnknownName | Unfinished)
