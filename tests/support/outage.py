"""Everything that storage does, once, under the model of power loss; and what has to be there after each moment."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.power import MODES, Power, State

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import ConduitError, NotFound
from engine.domain.plans import Plan
from engine.domain.projects import Agent
from engine.ports.clock import FakeClock
from engine.sessions.documents import Documents
from engine.sessions.marks import Marks
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store


@dataclass
class Root:
    """A root as an engine opens it."""

    layout: Layout

    def __post_init__(self) -> None:
        clock = FakeClock(datetime(2026, 1, 1, 12, tzinfo=UTC))
        self.store, self.runs = Store(self.layout, clock), Runs(self.layout, clock)
        self.documents, self.marks = Documents(self.layout, clock), Marks(self.layout, clock)

    def recover(self) -> None:
        self.store.recover()
        self.runs.recover()


Holds = Callable[[Root], bool]


@dataclass(frozen=True)
class Fact:
    """What was acknowledged at one moment; ``until``: the moment from which on it may change again."""

    what: str
    since: int
    holds: Holds
    until: int | None = None


class Day:
    """Does everything once; each acknowledged step becomes a fact."""

    def __init__(self, root: Root, power: Power) -> None:
        self._root = root
        self._power = power
        self.facts: dict[str, Fact] = {}
        self.past: list[Fact] = []

    def _now(self, what: str, holds: Holds) -> None:
        self.facts[what] = Fact(what, self._power.moments(), holds)

    def _ends(self, *what: str) -> None:
        """From this moment on these may change."""
        for name in what:
            self.past.append(replace(self.facts.pop(name), until=self._power.moments()))

    def live(self) -> list[Fact]:
        self._project()
        self._plan()
        self._session()
        self._document()
        self._endings()
        return [*self.past, *self.facts.values()]

    def _project(self) -> None:
        store = self._root.store
        project = store.create_project("harbor", "/src")
        self.project = project.id
        self._now("project", lambda root: root.store.project_file(project.id).project.id == project.id)
        self._now("name", lambda root: _named(root, project.id, "harbor"))
        store.append_chat(project.id, ChatEntry(id="c-1", ts="t", role="user", sender="me", text="hello"))
        self._now("chat", lambda root: [e.id for e in root.store.tail_chat(project.id, 9)][:1] == ["c-1"])
        store.mutate_project(
            project.id, lambda f: f.with_agent(Agent(id="a-1", project_id=project.id, name="x", cli="c", cwd="/"))
        )
        self._now("agent", lambda root: root.store.project_file(project.id).agent("a-1").name == "x")
        self._ends("name")
        store.update_project(project.id, name="lantern")
        self._now("new name", lambda root: _named(root, project.id, "lantern"))

    def _plan(self) -> None:
        store, project = self._root.store, self.project
        store.add_plan(
            Plan(
                id="pl-1",
                project_id=project,
                description="",
                target_agent="a-1",
                target_project=project,
                proposed_message="m",
                created_at="",
            )
        )
        self._now("plan", lambda root: root.store.project_file(project).plan("pl-1").id == "pl-1")
        self._ends("plan")
        store.mark_resolving(project, "pl-1", "reject", "r")
        line = AuditLine(id="au-1", timestamp="t", event="plan_reject", decision="reject", action="none", via="web")
        store.finish_plan(project, "pl-1", line)
        self._now("decision", lambda root: _decided(root, project))

    def _session(self) -> None:
        runs = self._root.runs
        run = runs.create(project_id=self.project, agent_id="a-1", agent_name="x", cli="c")
        self.run = run.id
        self._now("session", lambda root: root.runs.get(run.id).number == 1)
        runs.update(run, state="working")
        self._now("working", lambda root: root.runs.get(run.id).state == "working")
        runs.messages(run).enqueue("m-1", "text", sender="you", via="cli")
        self._now("message", lambda root: root.runs.messages(run.id).get("m-1") is not None)
        self._root.marks.arm(run.id, datetime(2026, 1, 2, tzinfo=UTC), "cli")
        self._now("armed", lambda root: list(root.marks.armed()) == [run.id])
        self._ends("armed")
        self._root.marks.disarm(run.id)
        self._now("disarmed", lambda root: root.marks.armed() == {})
        self._ends("working")
        runs.update(run.id, state="failed", reason="it fell")
        self._now("failed", lambda root: root.runs.get(run.id).reason == "it fell")

    def _document(self) -> None:
        documents, project = self._root.documents, self.project
        first = documents.publish(project, title="T", file="a.md", data=b"one", by="me")
        self._now("version 1", lambda root: root.documents.read(project, first.id, 1)[1] == b"one")
        documents.publish(project, title="", file="a.md", data=b"two", by="me", document_id=first.id)
        self._now("version 2", lambda root: root.documents.read(project, first.id, 2)[1] == b"two")

    def _endings(self) -> None:
        self._ends("session", "failed", "message")
        self._root.runs.delete(self.run)
        run, project = self.run, self.project
        self._now("deleted session", lambda root: not root.layout.run(run).exists())
        self._now("tombstone", lambda root: root.runs.tombstone(run)["number"] == 1)
        self._ends(*[name for name in self.facts if name in ("project", "chat", "agent", "new name", "decision")])
        self._root.store.delete_project(project)
        self._now("deleted project", lambda root: not root.layout.project(project).exists())


def judge(power: Power, facts: list[Fact], scratch: Path, every: int = 1, seed: int = 7) -> Iterator[str]:
    """Rebuild each moment in each mixture, open it, and look for all that was acknowledged; one sentence a fault."""
    dice = random.Random(seed)
    for moment, state in list(enumerate(power.states))[::every]:
        for names, contents in MODES:
            where = f"moment {moment} ({state.label}), names {names}, contents {contents}"
            target = scratch / "root"
            state.rebuild(target, names, contents, dice)
            yield from (f"{where}: {fault}" for fault in _faults(target, facts, moment))
            shutil.rmtree(target)


def _faults(target: Path, facts: list[Fact], moment: int) -> Iterator[str]:
    root = Root(Layout(target))
    try:
        root.recover()
    except (ConduitError, OSError, ValueError) as fault:
        yield f"does not open: {fault}"
        return
    for run in root.runs.latest(9):
        yield from root.runs.verify(run)
    for fact in facts:
        if fact.since <= moment and (fact.until is None or moment < fact.until) and not _holds(fact, root):
            yield f"{fact.what} is lost"


def _holds(fact: Fact, root: Root) -> bool:
    try:
        return fact.holds(root)
    except (NotFound, ConduitError):
        return False


def _named(root: Root, project: str, name: str) -> bool:
    named = root.store.project_file(project).project.name == name
    return named and root.layout.shared(name).is_dir() and root.layout.wiki_of(name).is_dir()


def _decided(root: Root, project: str) -> bool:
    audited = [line["id"] for line in root.store.tail_audit(project, 9)]
    return audited == ["au-1"] and not root.store.project_file(project).pending_plans


def record(tmp: Path, patch: pytest.MonkeyPatch) -> tuple[Power, list[Fact]]:
    """Live the day under the model."""
    root = Root(Layout(tmp / "live"))
    root.recover()
    power = Power(tmp / "live")
    with power.watching(patch):
        facts = Day(root, power).live()
    return power, facts


__all__ = ["Day", "Fact", "Root", "State", "judge", "record"]
