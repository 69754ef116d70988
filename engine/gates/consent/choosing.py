"""Which reading an approving utterance is about: exactly one, or none. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.errors import ConsentCondition
from engine.gates.consent.readings import WINDOW, WRONG_WORDS, Live
from engine.gates.consent.sentence import Verdict


@dataclass(frozen=True, slots=True)
class Chosen:
    """The reading, or the condition that keeps it from being clear, with the readings that it concerns."""

    reading: Live | None = None
    condition: ConsentCondition | None = None
    concerned: tuple[Live, ...] = ()


def choose_reading(readings: Sequence[Live], verdict: Verdict, began_after: int, now: float) -> Chosen:
    """``began_after``: the latest end of a reading, in session order, that came before the speech."""
    meant = [live for live in readings if verdict.name is None or _named(live, verdict)]
    live = [one for one in meant if one.live(now)]
    if not live:
        return Chosen(condition=_why_none(meant, now), concerned=tuple(meant))
    if len(live) > 1 or (verdict.name is None and _another_has_begun(live[0], readings, now)):
        return Chosen(condition="ambiguous", concerned=tuple(live))
    only = live[0]
    if verdict.thing is not None and verdict.thing != only.subject.thing:
        return Chosen(condition="not_said", concerned=(only,))
    if only.ended is None or began_after < only.ended:
        return Chosen(condition="not_said", concerned=(only,))
    return Chosen(reading=only)


def _named(live: Live, verdict: Verdict) -> bool:
    """Whether a name (and "gate" or "plan", where it was said beside it) means this reading."""
    return verdict.name in live.keys and verdict.thing in {None, live.subject.thing}


def _why_none(meant: Sequence[Live], now: float) -> ConsentCondition:
    """Of the latest reading that could have been meant."""
    if not meant or meant[-1].played_at is None:
        return "not_read"
    latest = meant[-1]
    if latest.spent:
        return "spent"
    return "wrong_word" if latest.wrong_words >= WRONG_WORDS and latest.fresh(now) else "stale"


def _another_has_begun(one: Live, readings: Sequence[Live], now: float) -> bool:
    """Whether another reading was begun after this one's end and is still being read, as far as anyone knows."""
    return any(
        other.ended is None and other.opened > (one.ended or 0) and now - other.opened_at <= WINDOW
        for other in readings
        if other is not one
    )
