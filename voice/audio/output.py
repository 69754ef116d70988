"""Opening a loudspeaker: at the wanted rate if it takes that, else at its own."""

from collections.abc import Callable
from typing import Any

from engine.domain.errors import Unavailable
from voice.audio.devices import Device, sound_library

LATENCY = 0.06
"""Seconds of sound that a stream holds: little, for a reply and a stop that come soon; with 0.04 a PulseAudio behind
ALSA runs dry all the time."""

OpenOutput = Callable[[Device, int, Callable[..., None], float], tuple[Any, int]]
"""(device, rate, callback of PortAudio, latency) -> (stream with ``latency`` and ``close``, its rate); Unavailable."""


def open_output(device: Device, rate: int, fill: Callable[..., None], latency: float = LATENCY) -> tuple[Any, int]:
    """(stream, its rate): at ``rate`` if the device takes that, else at its own; Unavailable names what was tried."""
    library = sound_library()
    rates = list(dict.fromkeys((rate, device.rate, 48_000, 44_100)))
    why = ""
    for one in rates:
        for channels in dict.fromkeys((1, min(2, device.outputs))):
            try:
                stream = library.OutputStream(
                    device=device.index,
                    samplerate=one,
                    channels=channels,
                    dtype="float32",
                    latency=latency,
                    callback=fill,
                )
                stream.start()
            except (library.PortAudioError, ValueError) as error:
                why = str(error)
            else:
                return stream, one
    tried = ", ".join(f"{one} Hz" for one in rates)
    raise Unavailable(f'The speaker "{device.name}" could not be opened at {tried} ({why}). Close what else uses it.')
