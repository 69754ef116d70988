"""A backup of a root in use opens elsewhere, whole; one that was damaged is refused by name."""

import tarfile
import threading
from pathlib import Path

import pytest

from engine.domain.chat import AuditLine, ChatEntry
from engine.domain.errors import BadRequest, Conflict
from engine.domain.plans import Plan
from engine.ports.clock import FakeClock
from engine.storage.backup import backup
from engine.storage.layout import Layout
from engine.storage.restore import restore
from engine.storage.runs import Runs
from engine.storage.store import Store


def work(store: Store, runs: Runs, stop: threading.Event, told: list[str]) -> None:
    """Changes of every kind, each noted once it is acknowledged."""
    project = store.create_project("harbor", "/src")
    for n in range(10_000):
        if stop.is_set():
            return
        name = f"x-{n}"
        store.append_chat(project.id, ChatEntry(id=name, ts="t", role="user", sender="me", text=name))
        plan = Plan(
            id=name,
            project_id=project.id,
            description="",
            target_agent=name,
            target_project=project.id,
            proposed_message="m",
            created_at="",
        )
        store.add_plan(plan)
        line = AuditLine(id=name, timestamp="t", event="plan_reject", decision="reject", action="none", via="web")
        store.finish_plan(project.id, name, line)
        run = runs.create(project_id=project.id, agent_id="a", agent_name="b", cli="c")
        runs.update(run, state="finished", reason=name)
        told.append(name)


def test_a_backup_of_a_busy_root_restores_and_verifies(store: Store, runs: Runs, tmp_path: Path) -> None:
    stop, told = threading.Event(), list[str]()
    worker = threading.Thread(target=work, args=(store, runs, stop, told))
    worker.start()
    try:
        for _ in range(4):
            while len(told) % 3 == 2 or not told:
                stop.wait(0.001)
            before = list(told)
            backup(store.layout, tmp_path / "b.tar.gz", FakeClock())
            where = Layout(tmp_path / f"restored-{len(before)}-{_}")
            report = restore(tmp_path / "b.tar.gz", where)
            assert report.faults == []
            again = Store(where)
            [file] = again.list_files()
            chat = {entry.id for entry in again.tail_chat(file.project.id, 99_999)}
            audited = [line["id"] for line in again.tail_audit(file.project.id, 99_999)]
            assert set(before) <= chat
            assert set(before) <= set(audited)
            assert len(audited) == len(set(audited))
            assert report.sessions >= len(before)
            fresh = Runs(where).create(project_id="p", agent_id="a", agent_name="b", cli="c")
            assert fresh.number > len(before)
    finally:
        stop.set()
        worker.join()


def test_a_running_session_comes_back_as_one_without_a_process(store: Store, runs: Runs, tmp_path: Path) -> None:
    run = runs.create(project_id="p", agent_id="a", agent_name="b", cli="c")
    backup(store.layout, tmp_path / "b.tar.gz", FakeClock())
    where = Layout(tmp_path / "restored")
    restore(tmp_path / "b.tar.gz", where)
    again = Runs(where)
    assert again.live() == []  # an engine on the copy must not look for the process of the original
    assert again.get(run.id).state == "process_lost"
    assert runs.get(run.id).state == "starting"


def test_a_backup_is_private_and_has_no_tokens(store: Store, tmp_path: Path) -> None:
    store.layout.tokens.write_text("{}")
    store.layout.secret_key.write_text("key")
    backup(store.layout, tmp_path / "b.tar.gz", FakeClock())
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        assert {".secret_key"} <= set(tar.getnames())
        assert "tokens.json" not in tar.getnames()


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9])
def test_a_damaged_backup_is_refused_and_leaves_nothing(store: Store, tmp_path: Path, at: float) -> None:
    for n in range(20):
        store.create_project(f"project {n}", "/src")
    whole = tmp_path / "b.tar.gz"
    backup(store.layout, whole, FakeClock())
    data = bytearray(whole.read_bytes())
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(data[: int(len(data) * at)])
    with pytest.raises(BadRequest, match=r"broken\.tar\.gz"):
        restore(broken, Layout(tmp_path / "restored"))
    data[int(len(data) * at)] ^= 0xFF
    broken.write_bytes(data)
    with pytest.raises(Exception, match=r"broken\.tar\.gz|restore"):
        restore(broken, Layout(tmp_path / "restored"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar.gz", "broken.tar.gz", "root"]


def test_a_root_that_is_not_empty_is_left_alone(store: Store, tmp_path: Path) -> None:
    backup(store.layout, tmp_path / "b.tar.gz", FakeClock())
    with pytest.raises(Conflict, match="not empty"):
        restore(tmp_path / "b.tar.gz", store.layout)
    with pytest.raises(BadRequest, match="inside the data folder"):
        backup(store.layout, store.layout.root / "b.tar.gz", FakeClock())
