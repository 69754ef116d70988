"""The speaker: sound in parts with names, silent at once on ``stop``, and honest about what has really been played.

A part is *started* when its first sample leaves the speaker and *ended* when its last one has: the device's own delay
is waited for, since "played to its end" is a condition of consent. A part that is cut or lost is *dropped*.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
import soxr

from engine.domain.errors import ConduitError
from engine.ports.clock import Clock, SystemClock
from voice.audio.devices import Device, choose, list_devices, stream_closed, stream_opened, undisturbed
from voice.audio.drain import Drain
from voice.audio.output import LATENCY, OpenOutput, open_output
from voice.frames import Samples

_log = logging.getLogger(__name__)
_STALLED_SECONDS = 2.0
_KEPT_OPEN_SECONDS = 20.0  # an open stream costs 1.5 % of a core though it plays nothing
_LONGEST_LATENCY = 0.32
_MUCH_SECONDS = 0.1  # of sound in the device: more is heard too long after a stop
_TRIES = 4  # fresh streams that a part gets, each with more room than the one before

PlayKind = Literal["started", "ended", "dropped"]


@dataclass(frozen=True)
class Played:
    """What became of the part ``tag`` at boot time ``at``."""

    tag: str
    kind: PlayKind
    at: float


class Output(Protocol):
    """Where sound goes; tests have one without a device."""

    def play(self, sound: Samples, rate: int, tag: str) -> None:
        """Append a part; Unavailable when there is no speaker."""
        ...

    def stop(self) -> None:
        """Silence at once; all parts that are not over are dropped."""
        ...

    def listen_to(self, on_played: Callable[[Played], None]) -> None:
        """Tell ``on_played`` of every part, in the event loop."""
        ...


@dataclass
class _Part:
    tag: str
    sound: Samples
    place: int = 0
    tries: int = 0
    ends: float = 0.0  # boot time of its last sample, once the device took it


class Speaker:
    """One output stream, kept open; ``play`` from the event loop, the callback mixes nothing and only copies."""

    def __init__(
        self,
        device: str | None = None,
        *,
        clock: Clock | None = None,
        on_state: Callable[[str], None] = lambda s: None,
        devices: Callable[[], Sequence[Device]] | None = None,
        open_stream: OpenOutput | None = None,
    ) -> None:
        self._wanted = device
        self._clock: Clock = clock or SystemClock()
        self._on_state = on_state
        self._devices = devices or (lambda: list_devices(afresh=True))
        self._open_stream: OpenOutput = open_stream or open_output
        self._on_played: Callable[[Played], None] = lambda played: None
        self._lock = threading.Lock()
        self._parts: deque[_Part] = deque()
        self._closing: dict[str, _Part] = {}
        self._latency = LATENCY
        self._drain = Drain(LATENCY)
        self._swallows = False
        self._stream: Any = None
        self._number = 0  # of the stream: one that is being closed takes no sound of the next one's
        self._rate = 0
        self._called_at = 0.0
        self._wanted_at = 0.0  # boot time when there was last something to play, or reason to expect it
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Speaker":
        self._loop = asyncio.get_running_loop()
        self._watch = asyncio.create_task(self._watch_stream())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.stop()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await asyncio.to_thread(self._close)

    def listen_to(self, on_played: Callable[[Played], None]) -> None:
        """See :class:`Output`."""
        self._on_played = on_played

    def open(self, rate: int) -> None:
        """Open the device ahead of the first sound, which is then 50 ms sooner; Unavailable when there is none."""
        self._wanted_at = self._clock.boot()
        if self._stream is None:
            self._open(rate)

    def play(self, sound: Samples, rate: int, tag: str) -> None:
        """See :class:`Output`; ``rate`` may differ from part to part."""
        self.open(rate)
        ready = sound if rate == self._rate else soxr.resample(sound, rate, self._rate).astype(np.float32)
        with self._lock:
            self._called_at = self._clock.boot() if not self._parts else self._called_at
            self._parts.append(_Part(tag, ready))

    def stop(self) -> None:
        """See :class:`Output`; what the device still holds is 40 to 80 ms, and is thrown away where it is more."""
        with self._lock:
            tags = [part.tag for part in self._parts]
            holds_much = self._drain.sounding and self._drain.held > _MUCH_SECONDS
            self._parts.clear()
            tags = [*self._closing, *tags]
            self._closing.clear()
        if holds_much:
            stream = self._take_stream()
            threading.Thread(target=_cut, args=(stream,), name="speaker-cut", daemon=True).start()
        now = self._clock.boot()
        for tag in dict.fromkeys(tags):
            self._on_played(Played(tag, "dropped", now))

    @property
    def busy(self) -> bool:
        """Whether something is being played or is still in the device."""
        with self._lock:
            return bool(self._parts or self._closing)

    def _open(self, rate: int) -> None:
        with undisturbed():
            if self._stream is not None:
                return  # another thread was opening it
            device = choose(self._wanted, self._devices(), "speaker")
            self._called_at = self._clock.boot()
            self._drain, self._swallows = Drain(self._latency), False
            self._number += 1
            fill = partial(self._fill, self._number)
            self._stream, self._rate = self._open_stream(device, rate, fill, self._latency)
            stream_opened(self._stream, self._release)
        self._on_state(f'Speaking through "{device.name}".')

    def _fill(self, number: int, out: Samples, frames: int, times: Any, status: Any) -> None:
        if number != self._number:
            out[:] = 0.0
            return
        now = self._clock.boot()
        seconds = frames / (self._rate or frames)
        delay = max(times.outputBufferDacTime - times.currentTime, float(self._stream.latency) if self._stream else 0.0)
        told: list[Played] = []
        with self._lock:
            self._called_at = now
            underflow = bool(getattr(status, "output_underflow", False))
            self._swallows = self._drain.take(now, seconds, underflow=underflow) or self._swallows
            delay = max(delay, self._drain.held - seconds)
            done = 0
            if self._parts:
                self._wanted_at = now
            while self._parts and done < frames and not self._holds_back():
                done += self._copy(out, done, now + delay, told)
            self._drain.sounding = done > 0
        out[done:] = 0.0
        if told and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, told)

    def _holds_back(self) -> bool:
        """Whether no more is handed to this stream: a better one comes, at once or after this sentence."""
        return self._swallows or (self._wants_room() and self._parts[0].place == 0)

    def _wants_room(self) -> bool:
        return self._drain.torn and self._latency < _LONGEST_LATENCY

    def _copy(self, out: Samples, done: int, leaves_at: float, told: list[Played]) -> int:
        """Copy what fits of the first part behind ``done``; how many samples that was."""
        part = self._parts[0]
        count = min(len(part.sound) - part.place, len(out) - done)
        out[done : done + count] = part.sound[part.place : part.place + count, None]
        if part.place == 0:
            told.append(Played(part.tag, "started", leaves_at + done / self._rate))
        part.place += count
        if part.place >= len(part.sound):
            self._parts.popleft()
            ends = leaves_at + (done + count) / self._rate
            part.ends = ends
            self._closing[part.tag] = part
            told.append(Played(part.tag, "ended", ends))
        return count

    def _tell(self, told: Sequence[Played]) -> None:
        for played in told:
            if played.kind == "ended" and self._loop is not None:
                self._loop.call_later(max(0.0, played.at - self._clock.boot()), self._ended, played)
            else:
                self._on_played(played)

    def _ended(self, played: Played) -> None:
        with self._lock:
            part = self._closing.get(played.tag)
            if part is None or part.ends != played.at:
                return  # stopped while the device still held its end, or begun anew since
            del self._closing[played.tag]
        self._on_played(played)

    async def _watch_stream(self) -> None:
        """A stream that takes no more sound is closed, and what waited for it begins anew on a fresh one."""
        while True:
            await self._clock.sleep(0.25)
            with self._lock:
                stalled = self._stream is not None and self._clock.boot() - self._called_at > _STALLED_SECONDS
                waiting = bool(self._parts or self._closing)
                swallows = self._swallows
                room = self._wants_room() and not self._closing and not (self._parts and self._parts[0].place)
            if (stalled or swallows) and waiting:
                why = "swallows sound unheard" if swallows else "takes no sound any more"
                await self._begin_anew(f"The speaker {why}; it is opened again.")
            elif stalled or swallows:
                _log.info("The speaker stopped by itself; it is opened again for the next sentence.")
                await self._close_aside()
            elif room and waiting:
                await self._begin_anew(
                    "There were gaps in what was said; the speaker is given more room.", faulty=False
                )
            elif room:
                self._latency = min(_LONGEST_LATENCY, 2 * self._latency)
                await self._close_aside()
            elif not waiting and self._clock.boot() - self._wanted_at > _KEPT_OPEN_SECONDS:
                await self._close_aside()

    async def _begin_anew(self, sentence: str, *, faulty: bool = True) -> None:
        """Each part is played from its beginning, since half of a sentence tells nothing; some tries, then dropped."""
        self._latency = min(_LONGEST_LATENCY, 2 * self._latency)
        self._on_state(sentence)
        _log.warning("%s", sentence)
        with self._lock:
            self._parts.extendleft(reversed(self._closing.values()))  # taken, but not heard as far as is known
            self._closing.clear()
            for part in self._parts:
                part.place, part.tries = 0, part.tries + faulty
            hopeless = any(part.tries > _TRIES for part in self._parts)
        rate = self._rate
        await self._close_aside()
        if hopeless:
            self.stop()
            return
        try:
            self.open(rate)
        except ConduitError as error:
            self._on_state(str(error))
            self.stop()
            return
        with self._lock:
            self._called_at = self._clock.boot()
            if self._rate != rate:
                for part in self._parts:
                    part.sound = soxr.resample(part.sound, rate, self._rate).astype(np.float32)

    def _release(self) -> bool:
        """Close the stream if nothing is playing, so that PortAudio can look for devices again."""
        if self.busy:
            return False
        self._close()
        return True

    def _close(self) -> None:
        _shut(self._take_stream())

    async def _close_aside(self) -> None:
        """Close without holding the loop up; what is played from now on opens a stream of its own."""
        await asyncio.to_thread(_shut, self._take_stream())

    def _take_stream(self) -> Any:
        stream, self._stream = self._stream, None
        self._number += 1
        return stream


def _cut(stream: Any) -> None:
    """Throw away what the device holds; the next sound gets a stream of its own."""
    if stream is None:
        return
    with undisturbed():
        stream.abort(ignore_errors=True)
        _shut(stream)


def _shut(stream: Any) -> None:
    if stream is None:
        return
    # A driver may hang in close; the process must not.
    closer = threading.Thread(target=stream.close, name="speaker-close", daemon=True)
    closer.start()
    closer.join(timeout=1.0)
    stream_closed(stream)
