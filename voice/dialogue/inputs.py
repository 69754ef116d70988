"""What reaches the conversation, as plain values with their times (boot seconds)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.wire import EventBody, ReadingView
from voice.dialogue.requests import Request
from voice.understand.intents import Understood


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance of the user, understood or not."""

    text: str
    understood: Understood
    confidence: float
    began_at: float
    others: tuple[tuple[str, float], ...] = ()  # less likely readings of the same sound, with their confidence


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """The user began to speak."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """What began as speech was none after all."""


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of the engine."""

    event: EventBody


@dataclass(frozen=True, slots=True)
class Opened:
    """The engine's reading of a gate or plan is ready to be spoken."""

    request: Request
    reading: ReadingView


@dataclass(frozen=True, slots=True)
class Done:
    """A request was carried out; ``result`` is the engine's answer."""

    request: Request
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """A request was refused; ``condition`` when it was an approval."""

    request: Request
    sentence: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """Every sample of what was said under this id has left the loudspeaker."""

    id: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was to be said under this id was cut off or thrown out."""

    id: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class EngineGone:
    """The engine does not answer."""


@dataclass(frozen=True, slots=True)
class EngineBack:
    """The engine answers again. ``afresh``: it is another one, which knows nothing of what was read."""

    afresh: bool = True


@dataclass(frozen=True, slots=True)
class Woken:
    """A wake phrase, the key or the page's button; ``alone`` when nothing was said with it."""

    alone: bool = False


@dataclass(frozen=True, slots=True)
class Drowsy:
    """Nothing was said for so long that only a wake phrase counts again."""


Input = (
    Spoken
    | SpeechBegan
    | SpeechEnded
    | Happened
    | Opened
    | Done
    | Failed
    | Played
    | Dropped
    | Tick
    | EngineGone
    | EngineBack
    | Woken
    | Drowsy
)
