"""How the user likes to be spoken to: what was asked for by voice, kept over restarts beside the settings."""

import logging
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.domain.errors import ConduitError
from engine.storage.files import write_text
from voice.dialogue.requests import ChangeManner

FILE = "voice-manner.json"
_log = logging.getLogger(__name__)


class _Kept(BaseModel):
    model_config = ConfigDict(extra="ignore")

    speed: float = Field(default=1.0, ge=0.2, le=5.0)
    volume: float = Field(default=1.0, ge=0.05, le=20.0)


@dataclass(frozen=True, slots=True)
class Manner:
    """Factors on the speed and the volume of the settings."""

    speed: float = 1.0
    volume: float = 1.0

    def after(self, change: ChangeManner, speed: float, volume: float) -> "Manner":
        """The factors after a change, with ``speed`` 0.5..2.5 and ``volume`` 0.1..1 of the settings as bounds."""
        if change.plain:
            return Manner()
        return Manner(
            _within(speed * self.speed * change.speed, 0.5, 2.5) / speed,
            _within(volume * self.volume * change.volume, 0.1, 1.0) / volume if volume else 1.0,
        )


def load(home: Path) -> Manner:
    """What was kept; plain where there is nothing, or nothing that can be read (which is logged)."""
    path = home / "config" / FILE
    try:
        kept = _Kept.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Manner()
    except (OSError, ValidationError) as fault:
        _log.warning("%s can't be read, so speed and volume are those of the settings: %s", path, fault)
        return Manner()
    return Manner(kept.speed, kept.volume)


def keep(home: Path, manner: Manner) -> None:
    """For the next start. A disk that takes nothing is logged: the change holds until then."""
    path = home / "config" / FILE
    try:
        write_text(path, _Kept(speed=manner.speed, volume=manner.volume).model_dump_json())
    except ConduitError as fault:
        _log.warning("%s can't be written, so the manner of speaking is forgotten at the end: %s", path, fault)


def _within(value: float, least: float, most: float) -> float:
    return min(most, max(least, value))
