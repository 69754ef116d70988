"""The voice section of ``config/settings.yaml``, checked at the border."""

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.domain.errors import BadRequest
from voice.listen.wake import DEFAULT_PHRASES

Mode = Literal["wake", "push", "open"]
ESPEAK = "espeak-ng"
_VOICES = {"en": "en_US-joe-medium"}  # the voices that come along


class VoiceSettings(BaseModel):
    """How the assistant listens and speaks. Times in seconds."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    mode: Mode = "wake"
    wake_phrases: tuple[str, ...] = Field(default=DEFAULT_PHRASES, alias="wakePhrases", min_length=1)
    language: str = "en"
    model: str = "base"
    voice: str = ""
    speed: float = Field(default=1.0, ge=0.5, le=2.5)
    volume: float = Field(default=1.0, ge=0.0, le=2.0)
    input: str | None = None
    output: str | None = None
    undo: float = Field(default=3.0, ge=0.0, le=30.0)
    stay_open: float = Field(default=20.0, alias="stayOpen", ge=3.0, le=600.0)
    models: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _speaks_the_language(self) -> "VoiceSettings":
        """Without a voice named: ours for English, espeak-ng for every other language."""
        if not self.voice:
            self.voice = _VOICES.get(self.language, ESPEAK)
        return self


def load_settings(home: Path) -> VoiceSettings:
    """The settings under a data root; defaults where there are none. BadRequest names the file and the fault."""
    path = home / "config" / "settings.yaml"
    if not path.is_file():
        return VoiceSettings.model_validate({})
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        section = found.get("voice") or {}
        return VoiceSettings.model_validate(section)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadRequest(f"In {path}, voice.{where}: {first['msg']}.") from error
    except (OSError, yaml.YAMLError, UnicodeDecodeError, AttributeError) as error:
        raise BadRequest(f"The settings {path} can't be read: {error}.") from error
