"""What has to survive the engine for as long as an attempt lives: its token, in its control folder, mode 0600."""

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.runtimes.holder.protocol import write_atomically

HOOKS = "hooks.json"
SETTINGS = "claude-settings.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """``address``: where the engine listened last. ``config``: the folder in which the CLI keeps its own files."""

    address: str
    run_id: str
    token: str
    config: str


def keep(control: Path, kept: Kept) -> None:
    """Write it; the control folder is made when it is not there."""
    control.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(control / HOOKS, asdict(kept))


def load(control: Path) -> Kept | None:
    """What was kept, or None: an attempt that was started without hooks, or whose end has come."""
    try:
        raw = json.loads((control / HOOKS).read_text("utf-8"))
        return Kept(str(raw["address"]), str(raw["run_id"]), str(raw["token"]), str(raw["config"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError) as fault:
        _log.error("%s cannot be read (%s); its agent is watched by its screen only", control / HOOKS, fault)
        return None


def forget(control: Path) -> None:
    """The attempt is over."""
    (control / HOOKS).unlink(missing_ok=True)
