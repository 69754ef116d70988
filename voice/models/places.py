"""The places a model may be in, best first: settings, installed package, our cache, the hub's cache."""

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from engine.domain.errors import Unavailable
from voice.models.manifest import Model, ModelFile
from voice.models.verify import cache_folder, check

Progress = Callable[[str, int, int], None]
"""Called with (file name, bytes done, bytes in all)."""


def no_progress(name: str, done: int, size: int) -> None:
    """Say nothing."""


def check_folder(folder: Path, model: Model) -> Path:
    """``folder`` itself when it holds exactly the files of ``model``; WrongModel or Unavailable otherwise."""
    for file in model.files:
        path = folder / file.name
        if not path.is_file():
            raise Unavailable(f"{folder} has no {file.name}, which the model {model.name} needs.")
        check(path, file)
    return folder


def part_paths(file: ModelFile) -> list[Path] | None:
    """Where the parts of ``file`` lie in installed packages, or None when one is not installed."""
    found = []
    for part in file.parts:
        package, _, rest = part.partition("/")
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(spec.submodule_search_locations[0]) / rest
        if not path.is_file():
            return None
        found.append(path)
    return found


def in_package(model: Model) -> Path | None:
    """The folder of an installed package that holds ``model`` as it is, if its files need no assembly."""
    parts = [part_paths(file) for file in model.files]
    whole = [paths[0] for paths in parts if paths is not None and len(paths) == 1]
    folders = {path.parent for path in whole}
    named_alike = all(path.name == file.name for path, file in zip(whole, model.files, strict=False))
    if len(whole) != len(model.files) or len(folders) != 1 or not named_alike:
        return None
    return folders.pop()


def assembled(model: Model) -> Path | None:
    """The folder in our cache where ``model`` was put together, or None."""
    folder = cache_folder() / model.name
    return folder if folder.is_dir() else None


def in_hub(model: Model) -> Iterator[Path]:
    """Folders of the hub's cache that hold some revision of ``model``."""
    if model.hub is None:
        return
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    snapshots = cache / f"models--{model.hub.replace('/', '--')}" / "snapshots"
    if snapshots.is_dir():
        yield from sorted(snapshots.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)


def assemble(model: Model, open_parts: Callable[[ModelFile], list[Path]], progress: Progress) -> Path:
    """Put ``model`` together in our cache from the parts of each file; whole and verified, or not there at all."""
    folder = cache_folder() / model.name
    fresh = folder.with_name(f".{model.name}.{os.getpid()}")
    try:
        fresh.mkdir(parents=True, exist_ok=True)
        for file in model.files:
            _join(open_parts(file), fresh / file.name, file, progress)
            check(fresh / file.name, file)
        _put(fresh, folder)
    except OSError as error:
        raise Unavailable(
            f"The model {model.name} could not be written to {folder}: {error.strerror or error}."
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _put(fresh: Path, folder: Path) -> None:
    """Swap ``fresh`` in; when another process was quicker, its verified folder is as good as ours."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        fresh.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _join(parts: list[Path], target: Path, file: ModelFile, progress: Progress) -> None:
    done = 0
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as source:
                while block := source.read(1 << 22):
                    out.write(block)
                    done += len(block)
                    progress(file.name, done, file.size)
