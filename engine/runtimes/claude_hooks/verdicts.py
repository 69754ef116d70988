"""What became of calls that were decided: so that one which runs against its decision is noticed. Pure."""

from collections import Counter, deque

_KEPT = 50


class Verdicts:
    """The latest decisions by call; each stands for one end of that call."""

    def __init__(self) -> None:
        self._allowed: Counter[str] = Counter()
        self._refused: deque[str] = deque(maxlen=_KEPT)

    def decide(self, call: str, *, allowed: bool) -> None:
        """A call was allowed, or refused."""
        if allowed:
            self._allowed[call] += 1
        else:
            self._refused.append(call)

    def take_allowed(self, call: str) -> bool:
        """Whether this end is that of a call that was allowed; each counts once."""
        if not self._allowed[call]:
            return False
        self._allowed[call] -= 1
        return True

    def take_refused(self, call: str) -> bool:
        """Whether a call that was refused has ended all the same; each counts once."""
        if call not in self._refused:
            return False
        self._refused.remove(call)
        return True
