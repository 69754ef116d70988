"""Any order of calls, restarts included: the store agrees with a plain model of it, and so do the sessions."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import BadRequest, Conflict, NotFound
from engine.domain.plans import Plan
from engine.domain.projects import Agent
from engine.domain.runs import RUN_MOVES, Run, is_live
from engine.ports.clock import FakeClock
from engine.storage.layout import Layout
from engine.storage.names import same_name
from engine.storage.runs import Runs
from engine.storage.store import Store

NAMES = st.sampled_from(["harbor", "Harbor", "lantern", "caf\u00e9", "cafe\u0301", "nul", "../x", "a:b", "a-b", "x. "])
STATES = st.sampled_from(sorted(RUN_MOVES))


class ProjectsMachine(RuleBasedStateMachine):
    """Projects by id in a dictionary, against the files."""

    projects = Bundle("projects")

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.names: dict[str, str] = {}
        self.agents: dict[str, set[str]] = {}
        self.chat: dict[str, list[str]] = {}
        self.waiting: dict[str, set[str]] = {}
        self.audited: dict[str, list[str]] = {}
        self.counter = 0
        self.restart()

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def fresh(self) -> str:
        self.counter += 1
        return f"x-{self.counter}"

    @rule()
    def restart(self) -> None:
        self.store = Store(Layout(self.root / "data"), FakeClock())
        assert self.store.recover() == []

    @rule(target=projects, name=NAMES)
    def create(self, name: str) -> str:
        try:
            project = self.store.create_project(name, "/src")
        except BadRequest:
            assert "/" in name
            return "p-none"
        except Conflict:
            assert any(same_name(name, other) for other in self.names.values())
            return "p-none"
        assert not any(same_name(name, other) for other in self.names.values())
        self.names[project.id] = project.name
        for book in (self.agents, self.waiting):
            book[project.id] = set()
        for lines in (self.chat, self.audited):
            lines[project.id] = []
        return project.id

    @rule(project=projects, name=NAMES)
    def rename(self, project: str, name: str) -> None:
        try:
            self.names[project] = self.store.update_project(project, name=name).name
        except NotFound:
            assert project not in self.names
        except BadRequest:
            assert "/" in name
        except Conflict as fault:
            taken = any(same_name(name, other) for key, other in self.names.items() if key != project)
            assert taken or "exists already" in str(fault)

    @rule(project=consumes(projects), purge=st.booleans())
    def delete(self, project: str, purge: bool) -> None:
        try:
            self.store.delete_project(project, purge)
        except NotFound:
            assert project not in self.names
        for book in (self.names, self.agents, self.chat, self.waiting, self.audited):
            book.pop(project, None)  # type: ignore[attr-defined]

    @rule(project=projects)
    def work(self, project: str) -> None:
        name = self.fresh()
        agent = Agent(id=name, project_id=project, name=name, cli="c", cwd="/")
        plan = Plan(
            id=name,
            project_id=project,
            description="",
            target_agent=name,
            target_project=project,
            proposed_message="",
            created_at="",
        )
        try:
            self.store.mutate_project(project, lambda f: f.with_agent(agent))
            self.store.append_chat(project, ChatEntry(id=name, ts="t", role="user", sender="me", text="hi"))
            self.store.add_plan(plan)
        except NotFound:
            assert project not in self.names
            return
        self.agents[project].add(name)
        self.chat[project].append(name)
        self.waiting[project].add(name)

    @rule(project=projects)
    def decide(self, project: str) -> None:
        for plan in sorted(self.waiting.get(project, ()))[:1]:
            self.store.mark_resolving(project, plan, "reject", "r")
            line = AuditLine(id=plan, timestamp="t", event="plan_reject", decision="reject", action="none", via="web")
            self.store.finish_plan(project, plan, line)
            self.waiting[project].remove(plan)
            self.audited[project].append(plan)

    @invariant()
    def agrees(self) -> None:
        assert {p.id: p.name for p in self.store.list_projects()} == self.names
        for project, name in self.names.items():
            file = self.store.project_file(project)
            assert {a.id for a in file.agents} == self.agents[project]
            assert {p.id for p in file.pending_plans} == self.waiting[project]
            assert [e.id for e in self.store.tail_chat(project, 999)] == self.chat[project]
            assert [r["id"] for r in self.store.tail_audit(project, 999)] == self.audited[project]
            assert self.store.layout.shared(name).is_dir() and self.store.layout.wiki_of(name).is_dir()


class RunsMachine(RuleBasedStateMachine):
    """Sessions by number in a dictionary, against run.json and journal."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.known: dict[int, Run] = {}
        self.last = 0
        self.restart()

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @rule()
    def restart(self) -> None:
        self.runs = Runs(Layout(self.root / "data"), FakeClock())
        assert self.runs.recover() == []

    @rule()
    def start(self) -> None:
        run = self.runs.create(project_id="p", agent_id="a", agent_name="b", cli="c")
        self.last += 1
        assert run.number == self.last
        assert all(run.id > other.id for other in self.known.values())
        self.known[run.number] = run

    @rule(pick=st.integers(0, 9), state=STATES, offset=st.integers(0, 99))
    def move(self, pick: int, state: str, offset: int) -> None:
        for run in [r for n, r in sorted(self.known.items()) if n % 10 == pick][:1]:
            try:
                after = self.runs.update(run, state=state, output_offset=offset)  # type: ignore[arg-type]
            except Conflict:
                assert state not in RUN_MOVES[run.state] and state != run.state
                continue
            assert state in RUN_MOVES[run.state] or state == run.state
            wanted = replace(run, state=state, output_offset=offset, ended_at=after.ended_at)  # type: ignore[arg-type]
            assert replace(after, updated_at=run.updated_at) == wanted
            assert (after.ended_at is None) == is_live(after.state)
            self.known[run.number] = after

    @rule(pick=st.integers(0, 9))
    def delete(self, pick: int) -> None:
        for run in [r for n, r in sorted(self.known.items()) if n % 10 == pick][:1]:
            try:
                self.runs.delete(run)
            except Conflict:
                assert is_live(run.state)
                continue
            assert not is_live(run.state)
            del self.known[run.number]
            assert self.runs.tombstone(run.id)["number"] == run.number

    @rule(pick=st.integers(0, 9))
    def lose_the_record(self, pick: int) -> None:
        for run in [r for n, r in sorted(self.known.items()) if n % 10 == pick][:1]:
            for version in Path(run.control_path).glob("run.json*"):
                version.unlink()
            rebuilt = self.runs.rebuild(run.id)
            assert replace(rebuilt, output_offset=0) == replace(run, output_offset=0)
            self.known[run.number] = rebuilt

    @invariant()
    def agrees(self) -> None:
        newest = [self.known[n] for n in sorted(self.known, reverse=True)]
        assert self.runs.latest(99) == newest
        assert self.runs.live() == [r for r in reversed(newest) if is_live(r.state)]
        for run in newest[:2]:
            assert self.runs.verify(run) == []
            assert self.runs.by_number(run.number) == run


_SHORT = settings(max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
TestProjects = ProjectsMachine.TestCase
TestProjects.settings = _SHORT
TestRuns = RunsMachine.TestCase
TestRuns.settings = _SHORT
