"""What is looked at in sessions at start: only those that were live, half made or half deleted; never every old run."""

import logging
from typing import TYPE_CHECKING

from engine.domain.errors import ConduitError, NotFound
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import locked, read_json, repair_tail
from engine.storage.messages import IN_DOUBT

if TYPE_CHECKING:
    from engine.domain.runs import Run
    from engine.storage.runs import Runs

log = logging.getLogger(__name__)


def recover_runs(runs: "Runs") -> list[str]:
    """Finish deletions, drop runs never made, mend the live ones; one sentence for each repair."""
    for folder in runs.layout.folders():
        with guarded(folder, "create"):
            disk.make_folder(folder)
    with locked(runs.layout.half_done):
        notices = _half_done(runs)
    if lost := runs.numbers.restore():
        notices.append(lost)
    for run_id, root_id in runs.marked():
        try:
            notices += _mend(runs, run_id, root_id)
        except NotFound:
            runs.layout.live_marker(run_id, root_id or run_id).unlink(missing_ok=True)  # never made, or deleted
        except ConduitError as fault:
            notices.append(str(fault))
    return notices


def _half_done(runs: "Runs") -> list[str]:
    notices = []
    for entry in sorted(runs.layout.half_done.iterdir()):
        kind, _, run_id = entry.name.partition("-")
        if kind == "deleted":
            runs.finish_deletion(run_id)
            notices.append(f"Finished deleting the session {run_id}.")
        else:
            with guarded(entry, "delete"):
                disk.remove_tree(entry)
            notices.append(f"Removed the run {run_id}, which was never started.")
    return notices


def _mend(runs: "Runs", run_id: str, root_id: str | None) -> list[str]:
    if runs.layout.tombstone(root_id or run_id).exists():
        runs.finish_deletion(root_id or run_id)
        return [f"Finished deleting the session {root_id or run_id}."]
    events = runs.layout.events(root_id or run_id)
    torn = [repair_tail(path) for path in (events, runs.layout.transcript(run_id, root_id))]
    notices = [sentence for sentence in torn if sentence]
    run, restored = _present(runs, run_id, root_id)
    notices += restored
    after = runs.catch_up(run)
    if after.state != run.state:
        notices.append(f"S-{run.number} is {after.state}, as its journal says; run.json said {run.state}.")
    for message in runs.messages(run).settle():
        runs.journal(run, IN_DOUBT, {"messageId": message.id})
        notices.append(f"Message {message.id} to {run.agent_name} may have been sent; it will not be sent again.")
    for notice in notices:
        runs.journal(run, "recovered", {"notice": notice})
    return notices


def _present(runs: "Runs", run_id: str, root_id: str | None) -> tuple["Run", list[str]]:
    path = runs.layout.run_json(run_id, root_id)
    if not path.parent.is_dir():
        raise NotFound(f"There is no run {run_id}.")
    try:
        notice = read_json(path).notice
    except FileNotFoundError:
        log.warning("%s is missing; it is rebuilt from the journal", path)
    except ConduitError as fault:
        log.warning("%s", fault)
    else:
        return runs.get(run_id, root_id), [notice] if notice else []
    if path.exists():
        with guarded(path, "set aside"):
            path.replace(path.with_name("run.json.broken-0"))
    return runs.rebuild(run_id, root_id), [f"{path} could not be read; it was rebuilt from the journal."]
