"""The clock, handed in: wall time for records, boot time for windows of consent."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Three clocks with one owner, so that a test can move them."""

    def wall(self) -> datetime:
        """Now, in UTC."""
        ...

    def boot(self) -> float:
        """Seconds since boot, counting suspend (CLOCK_BOOTTIME); never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's own clock."""

    def wall(self) -> datetime:
        return datetime.now(UTC)

    def boot(self) -> float:
        # macOS has no CLOCK_BOOTTIME; its CLOCK_MONOTONIC counts sleep already.
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class FakeClock:
    """A clock that a test moves by hand; ``sleep`` moves it."""

    def __init__(self, start: datetime | None = None) -> None:
        self._wall = start or datetime(2026, 1, 1, tzinfo=UTC)
        self._boot = 1000.0

    def wall(self) -> datetime:
        return self._wall

    def boot(self) -> float:
        return self._boot

    def advance(self, seconds: float) -> None:
        """Move both clocks forward."""
        from datetime import timedelta

        self._boot += seconds
        self._wall += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)


def stamp(clock: Clock) -> str:
    """ISO 8601 in UTC with milliseconds, as every record carries it."""
    return clock.wall().isoformat(timespec="milliseconds").replace("+00:00", "Z")
