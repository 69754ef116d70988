"""Find a model by name: settings, installed package, caches; every file is verified before its path is given."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.domain.errors import ConduitError, Unavailable
from voice.models import places
from voice.models.manifest import Model, manifest, named
from voice.models.places import Progress, no_progress

_log = logging.getLogger(__name__)
State = Literal["ready", "to_assemble", "missing", "wrong"]


@dataclass(frozen=True)
class ModelState:
    """What ``conduit doctor`` says of one model; ``folder`` is where it lies when it is ready."""

    model: Model
    state: State
    folder: Path | None
    sentence: str


def find(name: str, settings: Mapping[str, str] | None = None, progress: Progress = no_progress) -> Path:
    """The folder of model ``name``, verified; assembles it from installed parts once.

    ``settings`` maps names to folders the user chose. A ``name`` that is itself a folder is the user's own model and is
    taken as it is: the manifest knows no hash for it. Raises WrongModel or Unavailable with what to do.
    """
    if "/" in name:
        return _own(Path(name).expanduser())
    model = named(name)
    if chosen := (settings or {}).get(name):
        return places.check_folder(_own(Path(chosen).expanduser()), model)
    refused: list[ConduitError] = []
    if (folder := _present(model, refused)) is not None:
        return folder
    if _parts_installed(model):
        return places.assemble(model, lambda file: places.part_paths(file) or [], progress)
    raise (
        refused[0]
        if refused
        else Unavailable(f"The model {name} is not on this machine. Run scripts/setup while online.")
    )


def _own(folder: Path) -> Path:
    if not folder.is_dir():
        raise Unavailable(f"There is no model folder {folder}; correct the path in the settings.")
    return folder


def _present(model: Model, refused: list[ConduitError]) -> Path | None:
    candidates = [places.in_package(model), places.assembled(model), *places.in_hub(model)]
    for folder in candidates:
        if folder is None:
            continue
        try:
            return places.check_folder(folder, model)
        except ConduitError as error:
            _log.warning("%s", error)
            refused.append(error)
    return None


def _parts_installed(model: Model) -> bool:
    return all(places.part_paths(file) is not None for file in model.files)


def list_models() -> list[ModelState]:
    """The state of every model in the manifest; changes nothing on disk but the memory of hashes."""
    return [_state(model) for model in manifest().models]


def _state(model: Model) -> ModelState:
    refused: list[ConduitError] = []
    if (folder := _present(model, refused)) is not None:
        return ModelState(model, "ready", folder, f"{model.name} is ready in {folder}.")
    if _parts_installed(model):
        return ModelState(model, "to_assemble", None, f"{model.name} is installed in parts and is joined at first use.")
    if refused:
        return ModelState(model, "wrong", None, str(refused[0]))
    return ModelState(model, "missing", None, f"{model.name} is missing; run scripts/setup while online.")
