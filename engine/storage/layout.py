"""Every name in the data folder, in one place. Pure: nothing here creates or reads a file."""

import os
from dataclasses import dataclass
from pathlib import Path

from engine.storage.names import contained, folder_name, looks_like, same_name, validate_id

__all__ = ["Layout", "contained", "data_root", "folder_name", "looks_like", "same_name", "validate_id"]


def data_root() -> Path:
    """The data folder: CONDUIT_HOME, or ``~/.conduit``; always absolute."""
    chosen = os.environ.get("CONDUIT_HOME", "").strip()
    return Path(chosen).expanduser().absolute() if chosen else Path.home() / ".conduit"


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below one data root. Ids are validated and names sanitised here, so no caller can leave the root."""

    root: Path

    # -- the root itself

    @property
    def env(self) -> Path:
        return self.root / ".env"

    @property
    def api_keys(self) -> Path:
        return self.root / "api-keys.json"

    @property
    def secret_key(self) -> Path:
        return self.root / ".secret_key"

    @property
    def tokens(self) -> Path:
        """0600: the tokens of page, CLI and voice."""
        return self.root / "tokens.json"

    @property
    def engine_json(self) -> Path:
        """0600: pid, port and startedAt of the running engine."""
        return self.root / "engine.json"

    @property
    def supervisor_log(self) -> Path:
        return self.root / "supervisor-log.jsonl"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def engine_log(self) -> Path:
        return self.logs / "engine.log"

    @property
    def voice_log(self) -> Path:
        return self.logs / "voice.log"

    @property
    def brain_private(self) -> Path:
        return self.root / "brain-private"

    # -- projects

    @property
    def shared_content(self) -> Path:
        return self.root / "shared_content"

    @property
    def wiki(self) -> Path:
        return self.root / "wiki"

    @property
    def projects(self) -> Path:
        return self.root / "projects"

    @property
    def project_names(self) -> Path:
        """What the lock over all project names is named after; the file itself never exists."""
        return self.projects / "names"

    def project(self, project_id: str) -> Path:
        return self.projects / validate_id(project_id)

    def project_json(self, project_id: str) -> Path:
        return self.project(project_id) / "project.json"

    def groupchat(self, project_id: str) -> Path:
        return self.project(project_id) / "groupchat.jsonl"

    def audit(self, project_id: str) -> Path:
        return self.project(project_id) / "audit.jsonl"

    def rename_journal(self, project_id: str) -> Path:
        """Present while a rename of the project is under way."""
        return self.project(project_id) / "rename.json"

    def shared(self, project_name: str) -> Path:
        return self.shared_content / folder_name(project_name)

    def wiki_of(self, project_name: str) -> Path:
        return self.wiki / folder_name(project_name)

    # -- sessions

    @property
    def agents(self) -> Path:
        return self.root / "agents"

    @property
    def runs(self) -> Path:
        return self.agents / "runs"

    @property
    def runtime_lock(self) -> Path:
        return self.runs / ".runtime.lock"

    @property
    def session_number(self) -> Path:
        return self.agents / "session-number"

    @property
    def session_index(self) -> Path:
        """One line of fixed width per number: finds a session without a scan. Derived, rebuilt when missing."""
        return self.agents / "session-index"

    @property
    def live(self) -> Path:
        """One empty file per run that a process is expected behind: recovery reads these, not every old run."""
        return self.agents / "live"

    @property
    def half_done(self) -> Path:
        """Sessions half made or half deleted lie here, so that recovery need not look through all the whole ones."""
        return self.agents / "half-done"

    @property
    def work(self) -> Path:
        return self.agents / "work"

    @property
    def tombstones(self) -> Path:
        return self.agents / "tombstones"

    @property
    def provenance(self) -> Path:
        return self.agents / "provenance"

    @property
    def workspace_profiles(self) -> Path:
        return self.agents / "workspace_profiles.json"

    @property
    def instructions(self) -> Path:
        return self.agents / "instructions.json"

    def run(self, run_id: str, root_id: str | None = None) -> Path:
        """The control folder of a root run, or of a step of ``root_id``."""
        if root_id is None or root_id == run_id:
            return self.runs / validate_id(run_id)
        return self.runs / validate_id(root_id) / "children" / validate_id(run_id)

    def run_json(self, run_id: str, root_id: str | None = None) -> Path:
        return self.run(run_id, root_id) / "run.json"

    def transcript(self, run_id: str, root_id: str | None = None) -> Path:
        return self.run(run_id, root_id) / "transcript.jsonl"

    def briefing(self, run_id: str, root_id: str | None = None) -> Path:
        return self.run(run_id, root_id) / "briefing.md"

    def events(self, root_id: str) -> Path:
        """The journal: one per session, shared by its steps."""
        return self.run(root_id) / "events.jsonl"

    def messages(self, root_id: str) -> Path:
        return self.run(root_id) / "messages.json"

    def uploads(self, root_id: str) -> Path:
        return self.run(root_id) / "uploads"

    def template(self, root_id: str) -> Path:
        return self.run(root_id) / "template.json"

    def host_assets(self, root_id: str) -> Path:
        return self.run(root_id) / "host-assets"

    def archived(self, root_id: str) -> Path:
        return self.run(root_id) / "archived.json"

    def halt(self, root_id: str) -> Path:
        return self.run(root_id) / "halt.json"

    def auto_resume(self, root_id: str) -> Path:
        return self.run(root_id) / "auto_resume.json"

    @property
    def armed(self) -> Path:
        """One empty file per session that resumes by itself. Derived: the mark in its folder is what counts."""
        return self.agents / "armed"

    def work_of(self, root_id: str) -> Path:
        return self.work / validate_id(root_id)

    def tombstone(self, root_id: str) -> Path:
        return self.tombstones / f"{validate_id(root_id)}.json"

    def live_marker(self, run_id: str, root_id: str) -> Path:
        """``<root>`` for a root run, ``<root>+<run>`` for a step."""
        name = validate_id(root_id)
        return self.live / (name if run_id == root_id else f"{name}+{validate_id(run_id)}")

    # -- documents and configuration

    @property
    def workspaces(self) -> Path:
        return self.root / "workspaces"

    def workspace(self, project_id: str) -> Path:
        """A project is a workspace: its published documents, by document and version."""
        return self.workspaces / validate_id(project_id)

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def settings(self) -> Path:
        return self.config / "settings.yaml"

    @property
    def connections(self) -> Path:
        return self.config / "connections.yaml"

    @property
    def profiles(self) -> Path:
        return self.config / "profiles"

    @property
    def packs(self) -> Path:
        return self.config / "packs"

    @property
    def skill_overrides(self) -> Path:
        return self.config / "skill-overrides"

    @property
    def vault(self) -> Path:
        return self.config / "vault.json"

    def folders(self) -> tuple[Path, ...]:
        """What a fresh root consists of."""
        return (
            self.root,
            self.logs,
            self.shared_content,
            self.wiki,
            self.projects,
            self.agents,
            self.runs,
            self.work,
            self.tombstones,
            self.live,
            self.half_done,
        )
