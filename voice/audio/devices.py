"""Sound devices as plain values: which there are, which one to use, and what to say when there is none."""

import logging
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from engine.domain.errors import Unavailable
from voice.audio.alsa import log_complaints
from voice.audio.probe import check_sound

Kind = Literal["microphone", "speaker"]
Release = Callable[[], bool]
LEAST_LATENCY_MS = 40
_LATENCY_WISH = "PULSE_LATENCY_MSEC"
_log = logging.getLogger(__name__)
_lock = threading.RLock()
_streams: dict[int, Release] = {}


def undisturbed() -> threading.RLock:
    """Hold it from choosing a device until its stream is open: nobody looks for devices afresh meanwhile."""
    return _lock


def _keeps() -> bool:
    return False


def stream_opened(owner: object, release: Release = _keeps) -> None:
    """A stream is open; ``release`` closes it if that harms nothing, and says whether it did."""
    with _lock:
        _streams[id(owner)] = release


def stream_closed(owner: object) -> None:
    """The stream of ``owner`` is closed."""
    with _lock:
        _streams.pop(id(owner), None)


@dataclass(frozen=True)
class Device:
    """One device as PortAudio tells of it; ``rate`` is its own rate in hertz."""

    index: int
    name: str
    host: str
    inputs: int
    outputs: int
    rate: int
    default_input: bool = False
    default_output: bool = False

    def channels(self, kind: Kind) -> int:
        """How many channels it has for ``kind``."""
        return self.inputs if kind == "microphone" else self.outputs

    def is_default(self, kind: Kind) -> bool:
        """Whether the system would choose it for ``kind``."""
        return self.default_input if kind == "microphone" else self.default_output


def sound_library() -> ModuleType:
    """The sounddevice module; Unavailable when PortAudio is not installed, or breaks programs here."""
    check_sound()
    try:
        import sounddevice
    except OSError as error:
        raise Unavailable(
            "PortAudio is not installed, so there is no sound; install libportaudio2 and start again."
        ) from error
    _spare_latency()
    log_complaints()
    module: ModuleType = sounddevice
    return module


def _spare_latency() -> None:
    """A sound server that was told to hold less than one of our buffers never asks for the next one: it stalls."""
    wished = os.environ.get(_LATENCY_WISH, "")
    if wished.isdigit() and int(wished) < LEAST_LATENCY_MS:
        _log.info("%s=%s would stall the loudspeaker; using %d.", _LATENCY_WISH, wished, LEAST_LATENCY_MS)
        os.environ[_LATENCY_WISH] = str(LEAST_LATENCY_MS)


def list_devices(*, afresh: bool = False) -> list[Device]:
    """All devices; ``afresh`` makes PortAudio look again, if every open stream can be released for it."""
    library = sound_library()
    with _lock:
        if afresh and all(release() for release in list(_streams.values())):
            library._terminate()
            library._initialize()
        try:
            hosts, found = library.query_hostapis(), library.query_devices()
        except library.PortAudioError as error:
            raise Unavailable(f"The sound devices could not be listed ({error}).") from error
    ins = {host["default_input_device"] for host in hosts}
    outs = {host["default_output_device"] for host in hosts}
    return [
        Device(
            index=index,
            name=str(one["name"]),
            host=str(hosts[one["hostapi"]]["name"]),
            inputs=int(one["max_input_channels"]),
            outputs=int(one["max_output_channels"]),
            rate=int(one["default_samplerate"]),
            default_input=index in ins,
            default_output=index in outs,
        )
        for index, one in enumerate(found)
    ]


def list_inputs() -> list[Device]:
    """Devices that can record."""
    return [device for device in list_devices() if device.inputs]


def list_outputs() -> list[Device]:
    """Devices that can play."""
    return [device for device in list_devices() if device.outputs]


def choose(wanted: str | None, devices: Sequence[Device], kind: Kind) -> Device:
    """The device named ``wanted`` (part of its name, or its index), else the system's own; Unavailable lists them."""
    usable = [device for device in devices if device.channels(kind)]
    if not usable:
        raise Unavailable(explain_none(kind, devices))
    if wanted is None:
        return next((device for device in usable if device.is_default(kind)), usable[0])
    exact = [device for device in usable if wanted in (device.name, str(device.index))]
    alike = exact or [device for device in usable if wanted.casefold() in device.name.casefold()]
    if alike:
        return alike[0]
    unfit = any(wanted.casefold() in device.name.casefold() for device in devices)
    why = f"can't be used as a {kind}" if unfit else "is not there"
    raise Unavailable(f'The {kind} "{wanted}" {why}. There are: {describe(usable)}.')


def describe(devices: Sequence[Device]) -> str:
    """A list of names for a sentence."""
    return ", ".join(f'"{device.name}"' for device in devices) or "none"


def explain_none(kind: Kind, devices: Sequence[Device]) -> str:
    """Why there is no usable device of ``kind``, and what to do."""
    if not devices:
        return f"There is no {kind}: the system has no sound device at all. Plug one in, or start the sound server."
    other = "play" if kind == "microphone" else "record"
    return f"There is no {kind}: {describe(devices)} can only {other}. Plug one in, or choose one in the settings."
