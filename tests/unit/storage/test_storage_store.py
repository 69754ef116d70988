"""Projects: names are unique, folders move with them, deletion is final, and a crash in between leaves no half."""

import contextlib
import json
import multiprocessing
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import Conflict, NotFound, Unavailable
from engine.domain.plans import Plan
from engine.domain.projects import Agent, Project
from engine.ports.clock import FakeClock
from engine.storage import disk
from engine.storage.layout import Layout
from engine.storage.project_file import ProjectFile
from engine.storage.store import Store


class Crash(BaseException):
    """The process dies here: nothing catches it."""


@pytest.fixture
def project(store: Store) -> Project:
    project = store.create_project("harbor", "/src/harbor")
    (store.layout.shared("harbor") / "note.md").write_text("shared")
    (store.layout.wiki_of("harbor") / "page.md").write_text("wiki")
    return project


def agent(project: Project, number: int = 1) -> Agent:
    return Agent(id=f"a-{number}", project_id=project.id, name=f"agent{number}", cli="codex", cwd="/")


def plan(project: Project) -> Plan:
    return Plan(
        id="pl-1",
        project_id=project.id,
        description="d",
        target_agent="a-1",
        target_project=project.id,
        proposed_message="run the tests",
        created_at="t",
    )


def line(event: str = "plan_approve", **more: object) -> AuditLine:
    base = AuditLine(id="au-1", timestamp="t", event="plan_approve", decision="approve", action="sent", via="web")
    return replace(base, event=event, **more)  # type: ignore[arg-type]


def crash_at(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """Die at the given call (from 1) of a function that touches the disk."""
    real: Callable[..., object] = getattr(disk, name)
    calls = 0

    def dying(*args: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Crash
        return real(*args, **named)

    monkeypatch.setattr(disk, name, dying)


# -- names


@pytest.mark.parametrize("name", ["harbor", "Harbor", "harbor ", "harbor.", "ｈarbor"])
def test_a_second_project_of_the_same_name_is_refused(store: Store, project: Project, name: str) -> None:
    with pytest.raises(Conflict, match="named harbor already"):
        store.create_project(name, "/x")
    other = store.create_project("lantern", "/x")
    with pytest.raises(Conflict):
        store.update_project(other.id, name=name)
    assert {p.name for p in store.list_projects()} == {"harbor", "lantern"}


def test_a_look_alike_is_warned_about(store: Store, project: Project) -> None:
    assert "looks like harbor" in (store.look_alike("h\u0430rbor") or "")
    assert store.look_alike("lantern") is None


def test_projects_are_listed_oldest_first_without_reading_their_logs(store: Store, project: Project) -> None:
    assert isinstance(store._clock, FakeClock)
    store._clock.advance(1)
    second = store.create_project("lantern", "/x")
    for each in (project, second):
        store.layout.groupchat(each.id).mkdir()  # reading it as a log would fail
        store.layout.audit(each.id).mkdir()
    assert [p.id for p in store.list_projects()] == [project.id, second.id]


def test_one_spoiled_project_hides_no_other(store: Store, project: Project, caplog: pytest.LogCaptureFixture) -> None:
    spoiled = store.layout.projects / "p-spoiled"
    spoiled.mkdir()
    (spoiled / "project.json").write_text("{")
    assert [p.id for p in store.list_projects()] == [project.id]
    assert "p-spoiled/project.json" in caplog.text
    assert any("p-spoiled" in notice for notice in store.recover())


# -- changing


def test_a_change_that_fails_changes_nothing(store: Store, project: Project) -> None:
    def fail(file: ProjectFile) -> ProjectFile:
        raise Conflict("no")

    before = store.layout.project_json(project.id).read_bytes()
    with pytest.raises(Conflict):
        store.mutate_project(project.id, fail)
    assert store.layout.project_json(project.id).read_bytes() == before


def _add_agents(root: Layout, project: Project, worker: int) -> None:
    store = Store(root)
    for n in range(15):
        number = worker * 100 + n
        store.mutate_project(project.id, lambda f, number=number: f.with_agent(agent(project, number)))


def test_processes_that_change_one_project_lose_nothing(store: Store, project: Project) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add_agents, args=(store.layout, project, n)) for n in range(4)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        json.loads(store.layout.project_json(project.id).read_bytes())  # every read is a whole file
        for worker in workers:
            worker.join(0.01)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(store.project_file(project.id).agents) == 60


# -- deletion


def test_a_write_after_deletion_fails_and_brings_nothing_back(store: Store, project: Project) -> None:
    store.delete_project(project.id)
    late: list[Callable[[], object]] = [
        lambda: store.mutate_project(project.id, lambda f: f.with_agent(agent(project))),
        lambda: store.append_chat(project.id, ChatEntry(id="c", ts="t", role="user", sender="me", text="hi")),
        lambda: store.append_audit(project.id, line()),
        lambda: store.update_project(project.id, name="other"),
        lambda: store.add_plan(plan(project)),
        lambda: store.delete_project(project.id),
        lambda: store.tail_chat(project.id, 5),
        lambda: store.project_file(project.id),
    ]
    for call in late:
        with pytest.raises(NotFound):
            call()
    assert not store.layout.project(project.id).exists()
    assert store.list_projects() == []


def test_a_writer_that_waited_for_the_lock_finds_the_project_gone(store: Store, project: Project) -> None:
    def deleted_meanwhile(file: ProjectFile) -> ProjectFile:
        disk.move(store.layout.project(project.id), store.layout.projects / f".deleted-{project.id}")
        return file.with_agent(agent(project))

    with pytest.raises(NotFound):
        store.mutate_project(project.id, deleted_meanwhile)
    assert not store.layout.project(project.id).exists()


def test_deletion_keeps_wiki_and_shared_content_unless_asked(store: Store, project: Project) -> None:
    other = store.create_project("lantern", "/x")
    store.delete_project(project.id)
    assert store.layout.wiki_of("harbor").is_dir() and store.layout.shared("harbor").is_dir()
    store.delete_project(other.id, remove_data=True)
    assert not store.layout.wiki_of("lantern").exists() and not store.layout.shared("lantern").exists()


def test_removing_data_follows_no_link_out_of_the_root(store: Store, project: Project, tmp_path) -> None:  # type: ignore[no-untyped-def]
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("x")
    disk.remove_tree(store.layout.wiki_of("harbor"))
    store.layout.wiki_of("harbor").symlink_to(victim)
    store.delete_project(project.id, remove_data=True)
    assert (victim / "precious").exists()


@pytest.mark.parametrize("remove_data", [False, True])
@pytest.mark.parametrize(("function", "call"), [(f, n) for f in ("replace", "move", "remove_tree") for n in (1, 2, 3)])
def test_a_deletion_cut_off_anywhere_is_finished_or_never_was(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, function: str, call: int, remove_data: bool
) -> None:
    with monkeypatch.context() as patch:
        crash_at(patch, function, call)
        try:
            store.delete_project(project.id, remove_data)
        except Crash:
            died = True
        else:
            died = False
    again = Store(store.layout)
    again.recover()
    kept = bool(again.list_projects())
    assert died or not kept
    assert store.layout.wiki_of("harbor").exists() == (kept or not remove_data)
    assert store.layout.shared("harbor").exists() == (kept or not remove_data)
    assert {p.name for p in store.layout.projects.iterdir()} - {"names.lock"} == ({project.id} if kept else set())
    assert again.recover() == []


# -- renaming


def test_a_rename_moves_both_folders(store: Store, project: Project) -> None:
    assert store.update_project(project.id, name="lantern", description="new").name == "lantern"
    assert (store.layout.shared("lantern") / "note.md").read_text() == "shared"
    assert (store.layout.wiki_of("lantern") / "page.md").read_text() == "wiki"
    assert not store.layout.shared("harbor").exists() and not store.layout.wiki_of("harbor").exists()
    assert store.recover() == []


def test_a_rename_never_takes_over_folders_that_another_project_left(store: Store, project: Project) -> None:
    other = store.create_project("lantern", "/x")
    (store.layout.wiki_of("lantern") / "old.md").write_text("old")
    store.delete_project(other.id)
    with pytest.raises(Conflict, match="exists already"):
        store.update_project(project.id, name="lantern")
    assert store.project_file(project.id).project.name == "harbor"
    assert (store.layout.shared("harbor") / "note.md").exists()
    assert (store.layout.wiki_of("lantern") / "old.md").exists()


@pytest.mark.parametrize(("function", "call"), [(f, n) for f in ("replace", "move") for n in (1, 2, 3)])
def test_a_rename_cut_off_anywhere_is_whole_after_the_next_start(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    with monkeypatch.context() as patch:
        crash_at(patch, function, call)
        with contextlib.suppress(Crash):
            store.update_project(project.id, name="lantern")
    again = Store(store.layout)
    again.recover()
    name = again.project_file(project.id).project.name
    old = {"harbor", "lantern"} - {name}
    assert (store.layout.shared(name) / "note.md").read_text() == "shared"
    assert (store.layout.wiki_of(name) / "page.md").read_text() == "wiki"
    assert not any(store.layout.shared(o).exists() or store.layout.wiki_of(o).exists() for o in old)
    assert again.recover() == []


def test_a_rename_that_the_disk_refuses_is_undone(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = disk.move, 0

    def second_fails(source, target):  # type: ignore[no-untyped-def]
        nonlocal calls
        calls += 1
        if calls == 2:
            raise PermissionError(13, "no")
        real(source, target)

    monkeypatch.setattr(disk, "move", second_fails)
    with pytest.raises(Unavailable):
        store.update_project(project.id, name="lantern")
    assert store.project_file(project.id).project.name == "harbor"
    assert (store.layout.shared("harbor") / "note.md").exists()
    assert store.recover() == []


def test_a_creation_cut_off_leaves_no_project(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        crash_at(patch, "move", 1)
        with pytest.raises(Crash):
            store.create_project("harbor", "/x")
    again = Store(store.layout)
    assert any("never finished" in notice for notice in again.recover())
    assert again.list_projects() == []
    again.create_project("harbor", "/x")


# -- chat, audit, plans


def test_chat_comes_back_in_order_with_what_was_said(store: Store, project: Project) -> None:
    entries = [ChatEntry(id=f"c{n}", ts="t", role="agent", sender="b", text=f"é {n}\nx") for n in range(5)]
    for entry in entries:
        store.append_chat(project.id, entry)
    assert store.tail_chat(project.id, 3) == entries[2:]


def test_no_secret_reaches_the_audit(store: Store, project: Project) -> None:
    gate = {"command": "psql postgres://app:s3cret@db/prod", "choices": [{"label": "export TOKEN=tok-12345"}]}
    store.append_audit(project.id, line("gate_approve", gate=gate, action="typed password=hunter22"))
    text = store.layout.audit(project.id).read_text()
    assert not any(secret in text for secret in ("s3cret", "tok-12345", "hunter22"))
    assert "[a database address with a password]" in text


def test_a_plan_is_audited_and_gone(store: Store, project: Project) -> None:
    store.add_plan(plan(project))
    assert store.mark_resolving(project.id, "pl-1", "approve", "r1") == plan(project)
    store.mark_resolving(project.id, "pl-1", "approve", "r1")  # the same request again is harmless
    with pytest.raises(Conflict):
        store.mark_resolving(project.id, "pl-1", "approve", "r2")
    with pytest.raises(Conflict):
        store.mark_resolving(project.id, "pl-1", "reject", "r1")
    store.finish_plan(project.id, "pl-1", line())
    assert store.project_file(project.id).pending_plans == ()
    assert [r["id"] for r in store.tail_audit(project.id, 9)] == ["au-1"]
    with pytest.raises(NotFound):
        store.finish_plan(project.id, "pl-1", line())
    assert len(store.tail_audit(project.id, 9)) == 1


def test_a_plan_in_doubt_stays_and_says_so_until_someone_decides(store: Store, project: Project) -> None:
    store.add_plan(plan(project))
    store.mark_resolving(project.id, "pl-1", "approve", "r1")
    again = Store(store.layout)
    assert again.recover() == []
    assert again.project_file(project.id).resolving["pl-1"].decision == "approve"
    again.unmark_resolving(project.id, "pl-1")
    assert again.project_file(project.id).resolving == {}
    assert again.project_file(project.id).pending_plans == (plan(project),)


@pytest.mark.parametrize(
    ("function", "call"), [("replace", 1), ("replace", 2), ("sync_folder", 1), ("sync_folder", 2), ("sync_folder", 3)]
)
def test_a_plan_decision_cut_off_anywhere_is_audited_once_or_still_waits(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    store.add_plan(plan(project))
    with monkeypatch.context() as patch:
        crash_at(patch, function, call)
        with contextlib.suppress(Crash):
            store.finish_plan(project.id, "pl-1", line())
    again = Store(store.layout)
    again.recover()
    waits = bool(again.project_file(project.id).pending_plans)
    assert len(again.tail_audit(project.id, 9)) == (0 if waits else 1)


def test_a_rename_that_died_before_it_began_is_never_done_later(store: Store, layout: Layout) -> None:
    """Its intent was written beside, and never put in place: no later start may take that for a lost one."""
    project = store.create_project("harbor", "/src")
    left = layout.project(project.id) / ".rename.json.1-abcd.tmp"
    left.write_text('{"from": "harbor", "to": "lantern"}')
    assert store.recover() == []
    assert not left.exists()
    left.write_text('{"from": "harbor", "to": "lantern"}')
    store.update_project(project.id, name="juniper")
    assert store.recover() == []
    assert store.project_file(project.id).project.name == "juniper"
    layout.rename_journal(project.id).write_text('{"from": "harbor", "to": "lantern"}')  # and one of long ago
    store.recover()
    assert store.project_file(project.id).project.name == "juniper"
    assert not layout.rename_journal(project.id).exists()
