"""Hashes of model files, remembered by path, size and time of change, so that a start does not read 200 MB again."""

import hashlib
import json
import logging
import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.domain.errors import ConduitError
from voice.models.manifest import ModelFile

_log = logging.getLogger(__name__)
_Known = dict[str, tuple[int, int, str]]
_KNOWN: TypeAdapter[_Known] = TypeAdapter(_Known)


class WrongModel(ConduitError):
    """A model file is not the one the manifest names; it is never loaded."""


def cache_folder() -> Path:
    """Where assembled and downloaded models live: CONDUIT_MODELS, or the user's cache folder."""
    if own := os.environ.get("CONDUIT_MODELS"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "conduit" / "models"


def check(path: Path, wanted: ModelFile) -> None:
    """Raise WrongModel unless ``path`` holds exactly the bytes of ``wanted``."""
    size = path.stat().st_size
    if size != wanted.size:
        raise WrongModel(
            f"{path} has {size:,} bytes where the manifest says {wanted.size:,}; it is not used. "
            "Remove it and run scripts/setup to fetch it again."
        )
    if (found := _digest(path)) != wanted.sha256:
        raise WrongModel(
            f"{path} has the SHA-256 {found[:12]}… where the manifest says {wanted.sha256[:12]}…; it is not used. "
            "Remove it and run scripts/setup to fetch it again."
        )


def _digest(path: Path) -> str:
    state = path.stat()
    key, known = str(path.resolve()), _recall()
    if (seen := known.get(key)) and seen[:2] == (state.st_mtime_ns, state.st_size):
        return seen[2]
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    _remember({**known, key: (state.st_mtime_ns, state.st_size, found)})
    return found


def _memory() -> Path:
    return cache_folder() / "verified.json"


def _recall() -> _Known:
    try:
        return _KNOWN.validate_json(_memory().read_bytes())
    except FileNotFoundError:
        return {}
    except (ValidationError, OSError) as error:
        _log.warning("The list of verified models %s is not readable (%s); hashing again.", _memory(), error)
        return {}


def _remember(known: _Known) -> None:
    path = _memory()
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(known), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        # Only speed is lost: the next start hashes again.
        _log.warning("Could not remember the hash in %s: %s.", path, error)
