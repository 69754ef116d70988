"""What a terminal agent said, taken from its settled screens: the lines that are new since the last one (pure)."""

from collections.abc import Sequence

KEPT_LINES = 200  # the most that one entry holds


def new_lines(before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Lines of ``now`` that were not on the screen ``before``, which may have scrolled; without blank ones."""
    shift = _scrolled_by(before, now)
    old = [*before[shift:], *([""] * len(now))]
    fresh = [line for line, was in zip(now, old, strict=False) if line != was]
    return [line for line in fresh if line.strip()][-KEPT_LINES:]


def _scrolled_by(before: Sequence[str], now: Sequence[str]) -> int:
    """How far ``before`` has moved up: the shift under which most of its lines stand again."""
    best, most = 0, _matches(before, now, 0)
    for shift in range(1, len(before)):
        found = _matches(before, now, shift)
        if found > most:
            best, most = shift, found
    return best


def _matches(before: Sequence[str], now: Sequence[str], shift: int) -> int:
    return sum(1 for old, new in zip(before[shift:], now, strict=False) if old and old == new)
