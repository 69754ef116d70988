"""What writing to a path means: startup files, hooks, keys, things outside, or just another file of the project."""

from engine.domain.gates import Undo
from engine.gates.sources.command import paths
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.targets import Target, undo_of


def guarded(path: str, shown: str, where: Surroundings) -> Finding | None:
    """A finding for a path that must not be written casually, wherever it lies."""
    place = paths.place_of(path, where)
    if paths.inside(path, where.conduit_home):
        return found("escape", (shown,), place, "conduit_files", noun="file")
    if paths.is_hook(path):
        return found("configure", (shown,), place, "hook", noun="file")
    if paths.is_startup(path):
        return found("configure", (shown,), place, "startup", noun="file")
    return None


def write(target: Target, where: Surroundings, *, append: bool = False, empties: bool = False) -> Finding | None:
    """The finding for writing to ``target``, or None where that is ordinary work in the project."""
    if target.path is None:
        return found("overwrite", (target.shown,), "unknown", "overwrite", undo="unknown", noun="file")
    if paths.is_stream(target.path):
        return None
    kept = guarded(target.path, target.shown, where)
    if kept is not None:
        return kept
    if target.place == "system" and target.path.startswith("/dev/"):
        return found("destroy", (target.shown,), "system", "device", noun="device")
    if target.place not in ("project", "temp"):
        return found("overwrite", (target.shown,), target.place, "write_outside", noun="file")
    return _own(target, where, append=append, empties=empties)


def _own(target: Target, where: Surroundings, *, append: bool, empties: bool) -> Finding | None:
    path = target.path or ""
    if append:
        return found("configure", (target.shown,), target.place, "secret_file") if paths.is_credential(path) else None
    if not where.exists(path):
        if target.place != "temp" and (empties or paths.is_live_data(path) or paths.is_credential(path)):
            return found("overwrite", (target.shown,), target.place, "overwrite", undo="unknown", noun="file")
        return None
    undo: Undo = undo_of(target, where)
    if undo == "yes":
        return None
    if not empties and not paths.is_data(path) and path.endswith((".log", ".out", ".txt.tmp")):
        return None
    return found("overwrite", (target.shown,), target.place, "overwrite", undo=undo, noun="file")
