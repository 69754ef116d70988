"""Projects on disk: one function changes a project, and what must happen together survives a crash in between."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import BadRequest, ConduitError, Conflict, NotFound
from engine.domain.ids import new_id
from engine.domain.plans import Plan, PlanDecision
from engine.domain.projects import Project
from engine.domain.secrets import mask_value
from engine.ports.clock import Clock, SystemClock, stamp
from engine.storage import disk, removal, renames
from engine.storage.files import append_jsonl, iter_jsonl, locked, read_json, tail_jsonl, write_json
from engine.storage.layout import Layout
from engine.storage.names import folder_name, looks_like, same_name
from engine.storage.project_file import (
    ProjectFile,
    Resolving,
    dump_project_file,
    new_project_file,
    parse_project_file,
)
from engine.storage.records import from_dict, to_dict
from engine.storage.recovery import recover_project

log = logging.getLogger(__name__)

Change = Callable[[ProjectFile], ProjectFile | None]


class Store:
    """All projects below one data root. Synchronous and thread-safe; what a call returned from is on disk."""

    def __init__(self, layout: Layout, clock: Clock | None = None) -> None:
        self.layout = layout
        self._clock = clock or SystemClock()

    def prepare(self) -> None:
        """Make the folders of a fresh root, for the user alone."""
        for folder in self.layout.folders():
            with disk.guarded(folder, "create"):
                disk.make_folder(folder)

    def recover(self) -> list[str]:
        """At start, before anything else: finish or undo what a crash cut off; one sentence for each repair."""
        self.prepare()
        notices = removal.finish_removals(self.layout)
        for project_id in self._ids():
            try:
                notices += recover_project(self, project_id)
            except ConduitError as fault:
                notices.append(str(fault))
        return notices

    # -- reading

    def list_projects(self) -> list[Project]:
        """Every readable project, oldest first. Reads no logs."""
        return [file.project for file in self.list_files()]

    def list_files(self) -> list[ProjectFile]:
        """The same with agents, plans and gates. One that can't be read is logged, and hides no other."""
        files = []
        for project_id in self._ids():
            try:
                files.append(self.project_file(project_id))
            except NotFound:
                continue  # deleted meanwhile
            except ConduitError as fault:
                log.warning("%s", fault)
        return sorted(files, key=lambda file: (file.project.created_at, file.project.id))

    def project_file(self, project_id: str) -> ProjectFile:
        """One project as it stands now. NotFound, or Unavailable when it can't be read."""
        path = self.layout.project_json(project_id)
        try:
            loaded = read_json(path)
        except FileNotFoundError as fault:
            raise NotFound(f"There is no project {project_id}.") from fault
        return parse_project_file(loaded.value, str(path))

    def look_alike(self, name: str) -> str | None:
        """A sentence when the eye would take ``name`` for a present project's."""
        for project in self.list_projects():
            if looks_like(name, project.name):
                return f"{name} looks like {project.name}, but is spelled with other letters."
        return None

    # -- changing

    def mutate_project(self, project_id: str, fn: Change) -> ProjectFile:
        """Read, change and write under the lock. ``fn`` returns the new value, or None to leave it.

        NotFound once the project is deleted: nothing here ever creates its folder.
        """
        path = self.layout.project_json(project_id)
        with self._held(project_id):
            before = self.project_file(project_id)
            after = fn(before)
            if after is None or after == before:
                return before
            raw = dump_project_file(after)
            write_json(path, raw)
        return replace(after, raw=raw)

    def create_project(self, name: str, cwd: str, description: str | None = None) -> Project:
        """A new project and its two folders. BadRequest for a bad name, Conflict for a taken one."""
        folder_name(name)
        project = Project(
            id=new_id("p"), name=name.strip(), cwd=cwd, created_at=stamp(self._clock), description=description
        )
        with locked(self.layout.project_names):
            self._refuse_taken(project.name, None)
            for folder in (self.layout.shared(project.name), self.layout.wiki_of(project.name)):
                with disk.guarded(folder, "create"):
                    disk.make_folder(folder, 0o755)
            self._put_in_place(project)
        return project

    def update_project(
        self, project_id: str, *, name: str | None = None, cwd: str | None = None, description: str | None = None
    ) -> Project:
        """Change what is given. A new name moves the project's two folders, as one recoverable step."""
        if name is not None:
            folder_name(name)
        with locked(self.layout.project_names), self._held(project_id):
            project = self.project_file(project_id).project
            if name is not None and name.strip() != project.name:
                self._refuse_taken(name, project_id)
                renames.rename(self, project_id, name.strip())
            return self.mutate_project(project_id, lambda file: _described(file, cwd, description)).project

    def delete_project(self, project_id: str, remove_data: bool = False) -> None:
        """Remove a project. Wiki and shared content stay unless ``remove_data``."""
        with locked(self.layout.project_names), self._held(project_id):
            project = self.project_file(project_id).project
            removal.remove_project(self.layout, project, remove_data)

    # -- chat and audit

    def append_chat(self, project_id: str, entry: ChatEntry) -> None:
        append_jsonl(self.layout.groupchat(project_id), [to_dict(entry)])

    def tail_chat(self, project_id: str, n: int) -> list[ChatEntry]:
        """The last ``n`` entries, oldest first; one that can't be read is logged and left out."""
        entries = []
        for record in self._tail(self.layout.groupchat(project_id), n):
            try:
                entries.append(from_dict(ChatEntry, record))
            except ConduitError as fault:
                log.warning("%s", fault)
        return entries

    def append_audit(self, project_id: str, line: AuditLine) -> None:
        """One decision, secrets masked before it touches the disk."""
        append_jsonl(self.layout.audit(project_id), [masked_line(line)])

    def tail_audit(self, project_id: str, n: int) -> list[dict[str, Any]]:
        """The last ``n`` decisions as they stand on disk, oldest first."""
        return list(self._tail(self.layout.audit(project_id), n))

    # -- plans

    def add_plan(self, plan: Plan) -> Plan:
        self.mutate_project(plan.project_id, lambda file: file.with_plan(plan))
        return plan

    def mark_resolving(self, project_id: str, plan_id: str, decision: PlanDecision, request_id: str) -> Plan:
        """Say on disk that a plan is being resolved, before anything is sent. Conflict when someone else is at it."""

        def mark(file: ProjectFile) -> ProjectFile | None:
            file.plan(plan_id)
            present = file.resolving.get(plan_id)
            if present is None:
                return file.with_resolving(plan_id, Resolving(decision, request_id, stamp(self._clock)))
            if (present.request_id, present.decision) == (request_id, decision):
                return None
            raise Conflict(
                f"Plan {plan_id} is being resolved already: {present.decision}, since {present.at}.",
                {"decision": present.decision, "at": present.at},
            )

        return self.mutate_project(project_id, mark).plan(plan_id)

    def unmark_resolving(self, project_id: str, plan_id: str) -> None:
        """Nothing was sent after all: the plan waits again. Conflict once its outcome is written down."""

        def unmark(file: ProjectFile) -> ProjectFile:
            file.plan(plan_id)
            present = file.resolving.get(plan_id)
            if present is not None and present.line is not None:
                raise Conflict(f"Plan {plan_id} is resolved already.", {"decision": present.decision})
            return file.with_resolving(plan_id, None)

        self.mutate_project(project_id, unmark)

    def finish_plan(self, project_id: str, plan_id: str, line: AuditLine) -> None:
        """Audit a plan's outcome and remove it, as one step: a crash in between is finished at the next start."""
        outcome = masked_line(line)
        decision: PlanDecision = "approve" if line.event == "plan_approve" else "reject"

        def decide(file: ProjectFile) -> ProjectFile:
            file.plan(plan_id)
            present = file.resolving.get(plan_id) or Resolving(decision, "", stamp(self._clock))
            return file.with_resolving(plan_id, replace(present, line=outcome))

        with self._held(project_id):
            self.mutate_project(project_id, decide)
            append_jsonl(self.layout.audit(project_id), [outcome])
            self.mutate_project(project_id, _without_plan(plan_id))

    def finish_decided_plans(self, project_id: str) -> list[str]:
        """Complete what :meth:`finish_plan` was stopped in; a line that stands already is not written twice."""
        notices = []
        with self._held(project_id):
            file = self.project_file(project_id)
            for plan_id, state in file.resolving.items():
                if state.line is None:
                    continue
                audit = self.layout.audit(project_id)
                if not any(record.get("id") == state.line.get("id") for record in iter_jsonl(audit)):
                    append_jsonl(audit, [state.line])
                self.mutate_project(project_id, _without_plan(plan_id))
                notices.append(f"Finished the decision on plan {plan_id} of {file.project.name}: {state.decision}.")
        return notices

    # -- within

    def _ids(self) -> list[str]:
        try:
            entries = sorted(self.layout.projects.iterdir())
        except FileNotFoundError:
            return []
        return [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]

    def _tail(self, path: Path, n: int) -> tuple[dict[str, Any], ...]:
        if not path.parent.is_dir():
            raise NotFound(f"There is no project {path.parent.name}.")
        lines = tail_jsonl(path, n)
        for warning in lines.warnings:
            log.warning("%s: %s", path.parent, warning)
        return lines.records

    @contextmanager
    def _held(self, project_id: str) -> Iterator[None]:
        path = self.layout.project_json(project_id)
        if not path.parent.is_dir():
            raise NotFound(f"There is no project {project_id}.")
        with locked(path):
            yield

    def _refuse_taken(self, name: str, but: str | None) -> None:
        for project in self.list_projects():
            if project.id != but and same_name(project.name, name):
                raise Conflict(f"There is a project named {project.name} already; choose another name.")

    def _put_in_place(self, project: Project) -> None:
        """Fill a folder aside and rename it: nobody ever sees half a project."""
        final = self.layout.project(project.id)
        aside = self.layout.projects / f".new-{project.id}"
        with disk.guarded(final, "create"):
            disk.make_folder(aside)
            try:
                write_json(aside / "project.json", new_project_file(project))
                disk.move(aside, final)
            except (OSError, ConduitError):
                disk.remove_tree(aside)
                raise


def masked_line(line: AuditLine) -> dict[str, Any]:
    """An audit line as it goes to disk: no secret in it, in any field."""
    masked, _ = mask_value(to_dict(line))
    if not isinstance(masked, dict):
        raise BadRequest("An audit line has to be an object.")
    return masked


def _without_plan(plan_id: str) -> Change:
    return lambda file: file.without_plan(plan_id)


def _described(file: ProjectFile, cwd: str | None, description: str | None) -> ProjectFile:
    project = file.project
    return file.with_project(
        replace(
            project,
            cwd=project.cwd if cwd is None else cwd,
            description=project.description if description is None else description,
        )
    )
