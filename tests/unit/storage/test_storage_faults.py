"""Full, read-only, failing and short-writing disks: a sentence with the file and why, and no content is lost."""

import ctypes
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.domain.chat import ChatEntry
from engine.domain.errors import ConduitError, Unavailable
from engine.domain.projects import Agent, Project
from engine.storage.files import append_jsonl, read_json, tail_jsonl, write_json
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store

_LIBC = ctypes.CDLL(None, use_errno=True)
_MS_RDONLY, _MS_REMOUNT = 1, 32


def _mount(folder: Path, options: str, flags: int = 0) -> None:
    if _LIBC.mount(b"none", os.fsencode(folder), b"tmpfs", flags, options.encode()) != 0:
        number = ctypes.get_errno()
        pytest.skip(f"a small file system can't be mounted here: {os.strerror(number)}")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    _mount(folder, "size=256k")
    try:
        yield folder
    finally:
        assert _LIBC.umount2(os.fsencode(folder), 2) == 0


def entry(n: int, size: int = 2000) -> ChatEntry:
    return ChatEntry(id=f"c{n}", ts="t", role="user", sender="me", text="x" * size)


def fill(folder: Path) -> None:
    with (folder / "filler").open("wb", buffering=0) as stream:
        try:
            while True:
                stream.write(b"x" * 4096)
        except OSError as fault:
            assert fault.errno == errno.ENOSPC


def test_a_disk_that_fills_up_loses_nothing_that_was_acknowledged(small: Path) -> None:
    store = Store(Layout(small / "root"))
    store.recover()
    project = store.create_project("harbor", "/src")
    acknowledged: list[str] = []
    with pytest.raises(Unavailable, match=r"groupchat\.jsonl: the disk is full; make room"):
        for n in range(1000):
            store.append_chat(project.id, entry(n))
            acknowledged.append(f"c{n}")
    assert acknowledged
    fill(small)
    before = store.layout.project_json(project.id).read_bytes()
    with pytest.raises(Unavailable, match="the disk is full"):
        store.mutate_project(
            project.id, lambda f: f.with_agent(Agent(id="a", project_id="p", name="n" * 9000, cli="c", cwd="/"))
        )
    assert store.layout.project_json(project.id).read_bytes() == before
    assert [e.id for e in store.tail_chat(project.id, 1000)] == acknowledged
    with pytest.raises(ConduitError):
        store.create_project("lantern", "/src")
    (small / "filler").unlink()
    again = Store(store.layout)
    again.recover()
    assert [e.id for e in again.tail_chat(project.id, 1000)] == acknowledged
    again.delete_project(project.id, remove_data=True)
    assert again.list_projects() == []


def test_sessions_on_a_full_disk_stay_whole(small: Path) -> None:
    runs = Runs(Layout(small / "root"))
    runs.recover()
    run = runs.update(runs.create(project_id="p", agent_id="a", agent_name="b", cli="c"), state="working")
    fill(small)
    for call in (
        lambda: runs.transcript(run, {"text": "x" * 9000}),
        lambda: runs.update(run, state="failed", reason="x" * 9000),
        lambda: runs.create(project_id="p", agent_id="a", agent_name="b", cli="c"),
    ):
        with pytest.raises(Unavailable, match="the disk is full"):
            call()
    (small / "filler").unlink()
    assert Runs(runs.layout).recover() in ([], [f"Removed the run {run.id}, which was never started."])
    assert runs.verify(runs.get(run.id)) == []
    runs.update(run, state="idle")


def test_a_read_only_folder_is_read_and_refuses_every_change(small: Path) -> None:
    store = Store(Layout(small / "root"))
    store.recover()
    project = store.create_project("harbor", "/src")
    store.append_chat(project.id, entry(1))
    _mount(small, "", _MS_REMOUNT | _MS_RDONLY)
    changes: list[Callable[[], object]] = [
        lambda: store.append_chat(project.id, entry(2)),
        lambda: store.mutate_project(
            project.id, lambda f: f.with_agent(Agent(id="a", project_id="p", name="n", cli="c", cwd="/"))
        ),
        lambda: store.create_project("lantern", "/src"),
        lambda: store.update_project(project.id, name="lantern"),
        lambda: store.delete_project(project.id, remove_data=True),
    ]
    for change in changes:
        with pytest.raises(Unavailable, match="the file system is read-only; make it writable"):
            change()
    assert store.list_projects() == [project]
    assert [e.id for e in store.tail_chat(project.id, 9)] == ["c1"]


def test_a_spoiled_file_on_a_read_only_disk_can_still_be_read_from_its_copy(small: Path) -> None:
    path = small / "x.json"
    write_json(path, {"n": 1})
    write_json(path, {"n": 2})
    path.write_bytes(b"")
    with path.with_name("x.json.lock").open("w"):
        pass
    _mount(small, "", _MS_REMOUNT | _MS_RDONLY)
    try:
        loaded = read_json(path)
    except Unavailable as fault:  # the lock can't be taken there: then it says so, and nothing is made up
        assert "read-only" in str(fault)
    else:
        assert loaded.value == {"n": 1}


@pytest.fixture
def project(store: Store) -> Project:
    return store.create_project("harbor", "/src")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES])
@pytest.mark.parametrize("call", ["write", "fsync", "open"])
def test_a_failing_system_call_is_a_sentence_and_leaves_the_old_content(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    store.append_chat(project.id, entry(1, 5))
    chat, record = store.layout.groupchat(project.id), store.layout.project_json(project.id)
    before = chat.read_bytes(), record.read_bytes()
    agent = Agent(id="a", project_id="p", name="n", cli="c", cwd="/")
    real = getattr(os, call)

    def failing(first: object, *rest: object) -> object:
        if call == "open" and str(first).endswith(".lock"):
            return real(first, *rest)
        raise OSError(number, os.strerror(number))

    for change, path in (
        (lambda: store.append_chat(project.id, entry(2)), chat),
        (lambda: store.mutate_project(project.id, lambda f: f.with_agent(agent)), record),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            with pytest.raises(Unavailable) as fault:
                change()
        assert str(path) in str(fault.value)
        assert str(fault.value).count(";") == 1 and str(fault.value).endswith(".")
    assert (chat.read_bytes(), record.read_bytes()) == before
    assert not list(record.parent.glob(".*.tmp"))
    store.append_chat(project.id, entry(3))
    assert [e.id for e in store.tail_chat(project.id, 9)] == ["c1", "c3"]


def test_short_writes_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
    append_jsonl(tmp_path / "x.jsonl", [{"id": 1, "text": "y" * 100}])
    write_json(tmp_path / "x.json", {"text": "y" * 100})
    assert tail_jsonl(tmp_path / "x.jsonl", 9).records == ({"id": 1, "text": "y" * 100},)
    assert json.loads((tmp_path / "x.json").read_text()) == {"text": "y" * 100}


def test_a_disk_that_takes_part_and_then_fails_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.jsonl"
    append_jsonl(path, [{"id": 1}])
    real, calls = os.write, 0

    def part(fd: int, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.ENOSPC, "full")
        return real(fd, bytes(data)[:5])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", part)
        with pytest.raises(Unavailable):
            append_jsonl(path, [{"id": 2}])
    assert path.read_bytes() == b'{"id":1}\n'


def test_a_disk_that_takes_nothing_is_an_error_and_no_endless_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda fd, data: 0)
    with pytest.raises(Unavailable, match="input/output error"):
        write_json(tmp_path / "x.json", {})
