"""The microphone: frames of 16 kHz mono from whatever the device gives, through loss, replacement and dead capture.

The callback only copies. Everything else happens in the task that reads ``frames``: it opens the device, turns its rate
and channels into ours, and looks whether sound really comes. What can't be listened to is never called listening.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import soxr

from engine.domain.errors import ConduitError, Unavailable
from engine.ports.clock import Clock, SystemClock
from voice.audio.devices import Device, choose, list_devices, sound_library, stream_closed, stream_opened
from voice.frames import FRAME, RATE, Frame, Samples

_log = logging.getLogger(__name__)
StateKind = Literal["opening", "listening", "lost", "busy", "dead", "absent", "closed"]
_STALLED_SECONDS = 2.0
_DEAD_SECONDS = 5.0
_RETRY_DEAD_SECONDS = 60.0
_DEAD_LEVEL = 1.5 / 32768
_BACKOFF = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_KEPT_BLOCKS = 500


@dataclass(frozen=True)
class MicrophoneState:
    """What the status page shows; ``sentence`` says what is wrong and what is being done."""

    kind: StateKind
    device: str
    sentence: str


class Stream(Protocol):
    """An open input that fills ``blocks``; ``rate`` in hertz."""

    rate: int

    def take(self) -> list[tuple[float, Samples]]:
        """Blocks since the last call: (boot time of the end, mono samples)."""
        ...

    def close(self) -> None:
        """Stop; never raises."""
        ...


OpenStream = Callable[[Device, int, int, Callable[[], None]], Stream]
"""(device, rate, channels, wake) -> Stream; raises Unavailable."""


class PortAudioStream:
    """An input stream of sounddevice; its callback copies into a bounded deque and wakes the reader."""

    def __init__(self, device: Device, rate: int, channels: int, wake: Callable[[], None]) -> None:
        library = sound_library()
        self.rate = rate
        self._blocks: deque[tuple[float, Samples]] = deque(maxlen=_KEPT_BLOCKS)
        self._wake = wake
        self._clock = SystemClock()
        try:
            self._stream: Any = library.InputStream(
                device=device.index,
                samplerate=rate,
                channels=channels,
                dtype="float32",
                blocksize=rate * FRAME // RATE,  # one of our frames: fewer callbacks, and none waits for the next block
                latency="low",
                callback=self._copy,
            )
            self._stream.start()
        except (library.PortAudioError, ValueError) as error:
            raise Unavailable(str(error)) from error
        stream_opened(self)

    def _copy(self, data: Samples, frames: int, times: object, status: object) -> None:
        self._blocks.append((self._clock.boot(), data.copy()))
        self._wake()

    def take(self) -> list[tuple[float, Samples]]:
        """See :class:`Stream`."""
        taken = []
        while self._blocks:
            at, block = self._blocks.popleft()
            taken.append((at, block.mean(axis=1, dtype=np.float32)))
        return taken

    def close(self) -> None:
        """See :class:`Stream`; a driver that hangs is left to a thread of its own."""
        closer = threading.Thread(target=self._close, name="microphone-close", daemon=True)
        closer.start()
        closer.join(timeout=1.0)

    def _close(self) -> None:
        try:
            self._stream.close()
        except sound_library().PortAudioError as error:
            _log.info("The microphone did not close cleanly: %s.", error)
        stream_closed(self)


class Microphone:
    """``async with`` it and read ``frames``; ``on_state`` is told every change, in the event loop's thread."""

    def __init__(
        self,
        device: str | None = None,
        on_state: Callable[[MicrophoneState], None] = lambda state: None,
        *,
        clock: Clock | None = None,
        devices: Callable[[], Sequence[Device]] | None = None,
        open_stream: OpenStream = PortAudioStream,
    ) -> None:
        self._wanted = device
        self._on_state = on_state
        self._clock: Clock = clock or SystemClock()
        self._devices = devices or (lambda: list_devices(afresh=True))
        self._open = open_stream
        self._stream: Stream | None = None
        self._ready = asyncio.Event()
        self._native = False
        self._closed = False
        self._name = device or "the microphone"
        self.state = MicrophoneState("closed", self._name, "The microphone is not open yet.")

    async def __aenter__(self) -> "Microphone":
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._closed = True
        self._ready.set()
        await self._shut()
        self._tell("closed", "The microphone is closed.")

    async def frames(self) -> AsyncIterator[Frame]:
        """Frames in order, for as long as the microphone is not left; failures become states and new tries."""
        tries = 0
        while not self._closed:
            try:
                await self._start()
                async for frame in self._read():
                    tries = 0
                    yield frame
            except ConduitError as error:
                kind: StateKind = self.state.kind if self.state.kind in ("lost", "dead") else _kind(str(error))
                self._tell(kind, str(error))
            await self._shut()
            if not self._closed:
                await self._clock.sleep(_BACKOFF[min(tries, len(_BACKOFF) - 1)])
                tries += 1

    async def _start(self) -> None:
        if self.state.kind in ("closed", "opening"):
            self._tell("opening", "The microphone is being opened.")
        device = choose(self._wanted, await asyncio.to_thread(self._devices), "microphone")
        self._name = device.name
        loop = asyncio.get_running_loop()
        self._ready.clear()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._ready.set)

        self._stream = await asyncio.to_thread(open_at_some_rate, device, self._open, wake, native=self._native)

    async def _read(self) -> AsyncIterator[Frame]:
        """Frames until the device is lost (Unavailable) or dead."""
        stream = self._stream
        assert stream is not None
        joiner, silent = FrameJoiner(stream.rate), 0.0
        while not self._closed:
            try:
                # Not wait_for: in Python 3.11 it loses a cancellation that comes together with a block of sound.
                async with asyncio.timeout(_STALLED_SECONDS):
                    await self._ready.wait()
            except TimeoutError as error:
                self._tell("lost", f'No sound comes from "{self._name}" any more; trying to open it again.')
                raise Unavailable(self.state.sentence) from error
            self._ready.clear()
            for at, block in stream.take():
                silent = 0.0 if np.abs(block).max(initial=0.0) > _DEAD_LEVEL else silent + len(block) / stream.rate
                self._judge(silent)
                for frame in joiner.feed(block, at):
                    yield frame

    def _judge(self, silent: float) -> None:
        """A real microphone is never perfectly still: then its stream is dead, and that is said."""
        if silent == 0.0:
            self._native = False
            if self.state.kind != "listening":
                self._tell("listening", f'Listening on "{self._name}".')
        elif silent > _DEAD_SECONDS and not self._native:
            self._native = True
            self._tell("dead", f'"{self._name}" is open but gives perfect silence; opening it again at its own rate.')
            raise Unavailable(self.state.sentence)
        elif silent > _RETRY_DEAD_SECONDS:
            raise Unavailable(self.state.sentence)
        elif silent > _DEAD_SECONDS:
            self._tell("dead", _dead_sentence(self._name))

    async def _shut(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await asyncio.to_thread(stream.close)

    def _tell(self, kind: StateKind, sentence: str) -> None:
        state = MicrophoneState(kind, self._name, sentence)
        if state == self.state:
            return
        self.state = state
        _log.log(logging.INFO if kind in ("opening", "listening", "closed") else logging.WARNING, "%s", sentence)
        self._on_state(state)


def open_at_some_rate(device: Device, opener: OpenStream, wake: Callable[[], None], *, native: bool = False) -> Stream:
    """Open at 16 kHz, else at the device's own rate, with channels it has; Unavailable names what was tried."""
    rates = [device.rate] if native else list(dict.fromkeys((RATE, device.rate, 48_000, 44_100)))
    counts = list(dict.fromkeys((1, min(2, device.inputs), device.inputs)))
    why = ""
    for rate in rates:
        for channels in counts:
            try:
                return opener(device, rate, channels, wake)
            except Unavailable as error:
                why = str(error)
    tried = ", ".join(f"{rate} Hz" for rate in rates)
    raise Unavailable(
        f'The microphone "{device.name}" could not be opened at {tried} ({_reason(why)}). '
        "Close what else uses it or choose another one; it is tried again meanwhile."
    )


class FrameJoiner:
    """Turns blocks of any length at the device's rate into whole frames at ours, with boot times that don't drift."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._resampler = (
            None if rate == RATE else soxr.ResampleStream(rate, RATE, 1, dtype="float32", quality="LQ")
        )  # 20 ms of delay in place of 40
        self._rest: Samples = np.zeros(0, dtype=np.float32)
        self._held = 0.0  # seconds that are inside the resampler
        self._last = float("-inf")

    def feed(self, block: Samples, ended_at: float) -> list[Frame]:
        """Whole frames so far; ``ended_at`` is the boot time of the end of ``block``."""
        ours = block if self._resampler is None else self._resampler.resample_chunk(block)
        self._held += len(block) / self._rate - len(ours) / RATE
        self._rest = np.concatenate([self._rest, ours.astype(np.float32, copy=False)])
        whole = len(self._rest) // FRAME
        begins = max(ended_at - self._held - len(self._rest) / RATE, self._last + FRAME / RATE / 2)
        self._last = begins + (whole - 1) * FRAME / RATE if whole else self._last
        frames = [
            Frame(self._rest[i * FRAME : (i + 1) * FRAME].copy(), begins + i * FRAME / RATE) for i in range(whole)
        ]
        self._rest = self._rest[whole * FRAME :]
        return frames


def _kind(sentence: str) -> StateKind:
    if "There is no microphone" in sentence or "is not there" in sentence:
        return "absent"
    return "busy"


def _dead_sentence(name: str) -> str:
    return (
        f'"{name}" gives perfect silence, so nothing can be heard; it may be muted or switched off. Choose another one.'
    )


def _reason(text: str) -> str:
    return (
        text.removeprefix("Error opening InputStream: ").removeprefix("Error starting stream: ").strip(" .")
        or "no reason given"
    )
