"""The manifest of models, read and checked: names, files with sizes in bytes and SHA-256, licences."""

from functools import lru_cache
from importlib.resources import files
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

from engine.domain.errors import NotFound


class ModelFile(BaseModel):
    """One file of a model: the concatenation of its parts, with the hash it must have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size: Annotated[int, Field(gt=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    parts: tuple[str, ...]


class Model(BaseModel):
    """One model: what it is for, whose it is, and where it may be found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    job: str
    licence: str
    source: str
    needed: bool
    hub: str | None
    distributions: tuple[str, ...]
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)


class Manifest(BaseModel):
    """All models, in the order in which they are shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[Model, ...]


@lru_cache(maxsize=1)
def manifest() -> Manifest:
    """The manifest that ships with Conduit."""
    text = files("voice.models").joinpath("manifest.yaml").read_text(encoding="utf-8")
    return Manifest.model_validate(yaml.safe_load(text))


def named(name: str) -> Model:
    """The model called ``name``; NotFound lists those there are."""
    for model in manifest().models:
        if model.name == name:
            return model
    known = ", ".join(model.name for model in manifest().models)
    raise NotFound(f'There is no model called "{name}"; the manifest has {known}.')
