"""Sessions on disk: run.json says how a run stands, the journal why, and either can be checked by the other."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

from engine.domain.errors import ConduitError, Conflict, NotFound, Unavailable
from engine.domain.ids import new_run_id
from engine.domain.runs import RUN_MOVES, Run, is_live
from engine.ports.clock import Clock, SystemClock, stamp
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import append_jsonl, locked, read_json, remove_leftovers, tail_jsonl, write_json, write_text
from engine.storage.journal import (
    CHANGED,
    CREATED,
    OFFSET,
    Raw,
    RunChanges,
    apply,
    changes_on_disk,
    differences,
    replay,
)
from engine.storage.layout import Layout
from engine.storage.locks import Busy
from engine.storage.messages import IN_DOUBT, Message, Messages
from engine.storage.names import validate_id
from engine.storage.numbers import Numbers, is_folder_of_run
from engine.storage.records import from_dict, merged, to_dict
from engine.storage.runs_recovery import recover_runs

__all__ = ["IN_DOUBT", "Message", "Messages", "Runs"]

log = logging.getLogger(__name__)

_QUIET = frozenset(("output_offset", "updated_at"))  # changes with every screen: not worth a line of the journal


class Runs:
    """All sessions below one data root. Synchronous and thread-safe; what a call returned from is on disk."""

    def __init__(self, layout: Layout, clock: Clock | None = None) -> None:
        self.layout = layout
        self._clock = clock or SystemClock()
        self.numbers = Numbers(layout)

    @contextmanager
    def own(self) -> Iterator[None]:
        """Hold the root: Unavailable at once when another engine does. Freed by the kernel when this process dies."""
        path = self.layout.runtime_lock.with_suffix("")  # the lock file is this name plus ".lock"
        try:
            with guarded(self.layout.runs, "create"):
                disk.make_folder(self.layout.runs)
            with locked(path, timeout=0.2):
                yield
        except Busy as fault:
            raise Unavailable(
                f"Another engine owns {self.layout.root}; use that one, or stop it first (conduit down)."
            ) from fault

    def recover(self) -> list[str]:
        """At start, as the owner: mend what a crash cut off; one sentence for each repair."""
        return recover_runs(self)

    # -- making and changing

    def create(
        self,
        *,
        project_id: str,
        agent_id: str,
        agent_name: str,
        cli: str,
        parent: Run | None = None,
        conversation_id: str | None = None,
    ) -> Run:
        """A new session in state ``starting``, or a step of ``parent``'s session."""
        root_id = None if parent is None else (parent.root_id or parent.id)
        number, run_id = self.numbers.allocate() if parent is None else (parent.number, new_run_id())
        now = stamp(self._clock)
        run = self._placed(
            Run(
                id=run_id,
                number=number,
                project_id=project_id,
                agent_id=agent_id,
                agent_name=agent_name,
                cli=cli,
                state="starting",
                started_at=now,
                updated_at=now,
                root_id=root_id,
                conversation_id=conversation_id,
                control_path="",
                workspace_path="",
            )
        )
        with locked(self.layout.half_done), guarded(Path(run.control_path), "create"):
            disk.make_folder(Path(run.workspace_path), 0o755)
            self._mark_live(run)
            self._put_in_place(run)
        return run

    def update(self, run: Run | str, **changes: Unpack[RunChanges]) -> Run:
        """Change a run: the move is checked, the journal written, then run.json. Conflict for a move there is not."""
        found = self._resolve(run)
        with locked(self._json(found)):
            raw, before = self._caught_up(found)
            _check_move(before, changes)
            now = stamp(self._clock)
            after = replace(before, updated_at=now, **_with_end(before, changes, now))
            loud = changes_on_disk(before, after, _QUIET)
            if is_live(after.state):
                self._mark_live(after)
            if loud:
                raw[OFFSET] = self._write_journal(after, CHANGED, loud)
            self._write_run(after, raw)
            if not is_live(after.state):
                self._unmark_live(after)
        return after

    def journal(self, run: Run | str, event: str, data: dict[str, Any]) -> None:
        """One durable line of the session's journal."""
        self._write_journal(self._resolve(run), event, data)

    def transcript(self, run: Run | str, entry: dict[str, Any]) -> None:
        """One durable line of what the run said or did; ``ts`` is added when missing."""
        found = self._resolve(run)
        append_jsonl(self.layout.transcript(found.id, found.root_id), [{"ts": stamp(self._clock), **entry}])

    def briefing(self, run: Run | str, text: str) -> None:
        """The system prompt as it was really given."""
        found = self._resolve(run)
        write_text(self.layout.briefing(found.id, found.root_id), text)

    def delete(self, run: Run | str) -> None:
        """Remove a finished session and its work folder; its tombstone, written first, stays. Else Conflict."""
        found = self._resolve(run)
        if found.root_id is not None:
            raise Conflict(f"{found.id} is a step of session S-{found.number}; delete the session.")
        with locked(self._json(found)):
            _, found = self._load(found)
            living = [r for r in (found, *self.children(found)) if is_live(r.state)]
            if living:
                raise Conflict(f"S-{found.number} is {living[0].state}; cancel it first, then delete it.")
            self._mark_live(found)  # so that recovery finds a deletion that was cut off
            summary = {k: v for k, v in to_dict(found).items() if k not in ("controlPath", "workspacePath")}
            write_json(self.layout.tombstone(found.id), {**summary, "deletedAt": stamp(self._clock)})
            self.finish_deletion(found.id)

    def finish_deletion(self, run_id: str) -> None:
        """Everything of a session whose tombstone stands; also after a crash in between."""
        folder = self.layout.run(run_id)
        gone = self.layout.half_done / f"deleted-{run_id}"
        with locked(self.layout.half_done), guarded(folder, "delete"):
            if folder.exists():
                disk.remove_tree(gone)  # a power loss may leave the folder under both names
                disk.move(folder, gone)
            disk.remove_tree(self.layout.work_of(run_id))
            disk.remove_tree(gone)
            for marker in self.layout.live.glob(f"{run_id}*"):
                marker.unlink(missing_ok=True)

    # -- reading

    def get(self, run_id: str, root_id: str | None = None) -> Run:
        """One run. NotFound; Unavailable, by name, when its run.json can't be one."""
        return self._load_at(validate_id(run_id), root_id)[1]

    def by_number(self, number: int) -> Run:
        """The session that people call S-``number``. NotFound says so when it was deleted."""
        run_id = self.numbers.find(number)
        if run_id is None:
            raise NotFound(f"There is no session S-{number}.")
        try:
            return self.get(run_id)
        except NotFound as fault:
            gone = self.layout.tombstone(run_id).exists()
            raise NotFound(
                f"Session S-{number} was deleted." if gone else f"There is no session S-{number}."
            ) from fault

    def latest(self, n: int) -> list[Run]:
        """The ``n`` newest sessions, newest first. Costs what is asked for; reads no logs."""
        return list(islice(self.newest(), n))

    def newest(self) -> Iterator[Run]:
        """Sessions from the newest on, each read when it is asked for."""
        for run_id in self.numbers.newest():
            if (run := self._try(run_id, None)) is not None:
                yield run

    def live(self) -> list[Run]:
        """Runs that a process is expected behind, oldest first; from their markers, whatever else is stored."""
        found = [self._try(run_id, root_id) for run_id, root_id in self.marked()]
        return [run for run in found if run is not None and is_live(run.state)]

    def children(self, run: Run | str) -> list[Run]:
        """The steps of a session, oldest first."""
        root_id = run if isinstance(run, str) else (run.root_id or run.id)
        folder = self.layout.run(root_id) / "children"
        if not folder.is_dir():
            return []
        found = [self._try(entry.name, root_id) for entry in sorted(folder.iterdir()) if is_folder_of_run(entry)]
        return [step for step in found if step is not None]

    def of_project(self, project_id: str) -> list[Run]:
        """Every session of a project, oldest first. Reads each run.json there is: for deleting a project."""
        folders = sorted(entry for entry in self.layout.runs.iterdir() if is_folder_of_run(entry))
        found = [self._try(entry.name, None) for entry in folders]
        return [run for run in found if run is not None and run.project_id == project_id]

    def tail_journal(self, run: Run | str, n: int) -> list[dict[str, Any]]:
        """The last ``n`` lines of the session's journal, oldest first."""
        found = self._resolve(run)
        return _tail(self.layout.events(found.root_id or found.id), n)

    def tail_transcript(self, run: Run | str, n: int) -> list[dict[str, Any]]:
        """The last ``n`` entries, oldest first."""
        found = self._resolve(run)
        return _tail(self.layout.transcript(found.id, found.root_id), n)

    def tombstone(self, run_id: str) -> dict[str, Any]:
        """A deleted session's summary. NotFound."""
        try:
            return read_json(self.layout.tombstone(run_id)).value
        except FileNotFoundError as fault:
            raise NotFound(f"No session {run_id} was deleted.") from fault

    def messages(self, run: Run | str) -> Messages:
        """The message queue of the session that ``run`` belongs to."""
        found = self._resolve(run)
        return Messages(self.layout.messages(found.root_id or found.id), self._clock)

    # -- the journal against run.json

    def rebuild(self, run: Run | str, root_id: str | None = None) -> Run:
        """Write run.json anew from the journal. Unavailable when the journal does not say how the run began."""
        run_id, root_id = (run, root_id) if isinstance(run, str) else (run.id, run.root_id)
        path = self.layout.run_json(run_id, root_id)
        with locked(path):
            record, end = replay(self.layout.events(root_id or run_id), run_id)
            if record is None:
                raise Unavailable(f"The journal of {run_id} does not say how it began; run.json can't be rebuilt.")
            rebuilt = self._placed(from_dict(Run, {"controlPath": "", "workspacePath": "", **record}))
            self._write_run(rebuilt, {**record, OFFSET: end})
            self._mark(rebuilt)
        return rebuilt

    def verify(self, run: Run | str) -> list[str]:
        """Where run.json and journal disagree, one sentence each; none when they agree."""
        found = self._resolve(run)
        record, _ = replay(self.layout.events(found.root_id or found.id), found.id)
        if record is None:
            return [f"The journal of S-{found.number} ({found.id}) does not say how the run began."]
        return differences(to_dict(found), record, found)

    def catch_up(self, run: Run) -> Run:
        """Apply what the journal got and run.json did not, because the engine died in between."""
        with locked(self._json(run)):
            remove_leftovers(self._json(run))
            before, (raw, current) = self._load(run)[0], self._caught_up(run)
            if raw != before:
                self._write_run(current, raw)
            self._mark(current)
        return current

    def marked(self) -> list[tuple[str, str | None]]:
        """Ids (and root ids, for steps) of the runs that are marked as live."""
        names = sorted(entry.name for entry in self.layout.live.iterdir()) if self.layout.live.is_dir() else []
        return [(step or root, root if step else None) for root, _, step in (name.partition("+") for name in names)]

    # -- within

    def _caught_up(self, run: Run) -> tuple[Raw, Run]:
        """The run as its journal tells it: a change whose writing failed half way is in the journal, and counts."""
        raw, current = self._load(run)
        journal = self.layout.events(run.root_id or run.id)
        start = raw.get(OFFSET, 0)
        after = apply(current, journal, start if isinstance(start, int) else 0)
        return (raw, current) if after is None else ({**raw, OFFSET: after[1]}, after[0])

    def _resolve(self, run: Run | str) -> Run:
        return self.get(run) if isinstance(run, str) else run

    def _json(self, run: Run) -> Path:
        return self.layout.run_json(run.id, run.root_id)

    def _load(self, run: Run) -> tuple[dict[str, Any], Run]:
        return self._load_at(run.id, run.root_id)

    def _load_at(self, run_id: str, root_id: str | None) -> tuple[dict[str, Any], Run]:
        path = self.layout.run_json(run_id, root_id)
        try:
            raw = read_json(path).value
        except FileNotFoundError as fault:
            raise NotFound(f"There is no run {run_id}.") from fault
        number = raw.get("number")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise Unavailable(f"{path} carries no session number; it is refused. Put it in, or move the folder away.")
        bare = {"id": run_id, "controlPath": "", "workspacePath": "", **raw}
        return raw, self._placed(replace(from_dict(Run, bare), root_id=root_id))

    def _try(self, run_id: str, root_id: str | None) -> Run | None:
        try:
            return self.get(run_id, root_id)
        except NotFound:
            return None
        except ConduitError as fault:
            log.warning("%s", fault)
            return None

    def _placed(self, run: Run) -> Run:
        """Paths follow the root, which may have been moved since run.json was written."""
        work = self.layout.work_of(run.root_id or run.id)
        return replace(run, control_path=str(self.layout.run(run.id, run.root_id)), workspace_path=str(work))

    def _write_run(self, run: Run, raw: dict[str, Any]) -> None:
        write_json(self._json(run), merged(raw, run))

    def _write_journal(self, run: Run, event: str, data: dict[str, Any]) -> int:
        line = {"ts": stamp(self._clock), "type": event, "runId": run.id, "data": data}
        path = self.layout.events(run.root_id or run.id)
        appended = append_jsonl(path, [line])
        if appended.torn:
            append_jsonl(path, [{**line, "type": "recovered", "data": {"notice": appended.torn}}])
        return appended.end

    def _put_in_place(self, run: Run) -> None:
        """Fill the folder aside and rename it: a crash leaves a whole run, or none."""
        first = {"ts": run.started_at, "type": CREATED, "runId": run.id, "data": to_dict(run)}
        aside = self.layout.half_done / f"new-{run.id}"
        disk.make_folder(aside)
        if run.root_id is None:
            disk.make_folder(aside / "children")
            end = append_jsonl(aside / "events.jsonl", [first]).end
        else:
            end = append_jsonl(self.layout.events(run.root_id), [first]).end
        write_json(aside / "run.json", to_dict(run) | {OFFSET: end})
        disk.move(aside, Path(run.control_path))

    def _mark(self, run: Run) -> None:
        (self._mark_live if is_live(run.state) else self._unmark_live)(run)

    def _mark_live(self, run: Run) -> None:
        marker = self.layout.live_marker(run.id, run.root_id or run.id)
        if marker.exists():
            return
        with guarded(marker, "create"):
            disk.make_folder(marker.parent)
            marker.touch(0o600)
            disk.sync_folder(marker.parent)

    def _unmark_live(self, run: Run) -> None:
        """Not synced: a marker that comes back after a power loss costs one look at the run, nothing else."""
        self.layout.live_marker(run.id, run.root_id or run.id).unlink(missing_ok=True)


def _with_end(run: Run, changes: RunChanges, now: str) -> RunChanges:
    """The changes with what a move to an end, or to a new attempt, says of the last one."""
    to = changes.get("state", run.state)
    if is_live(run.state) and not is_live(to):
        return {"ended_at": now, **changes}
    if not is_live(run.state) and is_live(to):
        return {"ended_at": None, "exit_code": None, "reason": None, **changes}
    return changes


def _check_move(run: Run, changes: RunChanges) -> None:
    to = changes.get("state", run.state)
    if to != run.state and to not in RUN_MOVES[run.state]:
        raise Conflict(
            f"Session S-{run.number} is {run.state} and cannot become {to}.", {"state": run.state, "asked": to}
        )


def _tail(path: Path, n: int) -> list[dict[str, Any]]:
    lines = tail_jsonl(path, n)
    for warning in lines.warnings:
        log.warning("%s: %s", path.parent, warning)
    return list(lines.records)
