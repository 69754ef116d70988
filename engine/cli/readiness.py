"""Which agent CLIs this machine can start: found, version, tried or not, and what is missing."""

import os
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass

from engine.runtimes import catalog

_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.-]*")
_VERSION_TIMEOUT_S = 10.0
_OWN = "practice"  # delivered with Conduit, so there is nothing to find


@dataclass(frozen=True, slots=True)
class Readiness:
    """One CLI; ``note`` says what to do, or whether this version was tried."""

    name: str
    ready: bool
    found: str | None  # path of its program
    version: str | None
    tried: bool
    note: str

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def readiness() -> list[Readiness]:
    """Every CLI of the catalog; asks each one that is found for its version."""
    known = catalog.load()
    return [_of(known.entry(name)) for name in known.ids if name != _OWN]


def _of(entry: catalog.Entry) -> Readiness:
    env = catalog.environment(entry, os.environ)
    problem = catalog.preflight(entry, env)
    found = shutil.which(entry.command[0])
    version = _version(found, env) if found else None
    tried = version in entry.known
    note = "tried with this version" if tried else f"not tried with this version ({_list(entry.known)})"
    if version is None:
        note = f"it does not tell its version ({_list(entry.known)})"
    return Readiness(entry.id, problem is None, found, version, tried, str(problem) if problem else note)


def _list(versions: tuple[str, ...]) -> str:
    return f"tried: {', '.join(versions)}" if versions else "none tried yet"


def _version(program: str, env: dict[str, str]) -> str | None:
    try:
        told = subprocess.run(
            [program, "--version"],
            env=env,
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None  # shown as an unknown version; starting it will say more
    match = _VERSION.search(told.stdout + told.stderr)
    return match[0] if match else None
