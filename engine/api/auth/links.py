"""One-time links: a code that opens the page once, within 60 s."""

import hmac
import secrets
from dataclasses import dataclass, field

from engine.domain.errors import Unauthorized
from engine.ports.clock import Clock

LIFETIME_S = 60.0
_MOST_OPEN = 16


@dataclass(slots=True)
class Links:
    """Codes that wait to be exchanged. A suspend of the machine counts towards their end."""

    clock: Clock
    _open: dict[str, float] = field(default_factory=dict)

    def issue(self) -> str:
        """A fresh code; the oldest ones fall out when too many wait."""
        self._forget_old()
        while len(self._open) >= _MOST_OPEN:
            del self._open[next(iter(self._open))]
        code = secrets.token_urlsafe(24)
        self._open[code] = self.clock.boot() + LIFETIME_S
        return code

    def redeem(self, code: str) -> None:
        """Use a code up; raises :class:`Unauthorized` when it is unknown, used or too old."""
        self._forget_old()
        given = code.encode("utf-8", "surrogatepass")
        fitting = [known for known in self._open if hmac.compare_digest(given, known.encode())]
        if not fitting:
            raise Unauthorized("This link was used already or is older than 60 seconds. Ask for a new one: conduit up.")
        for known in fitting:
            del self._open[known]

    def _forget_old(self) -> None:
        now = self.clock.boot()
        self._open = {code: end for code, end in self._open.items() if end > now}
