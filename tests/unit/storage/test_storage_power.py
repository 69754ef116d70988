"""Power loss after any system call, what was not yet synced being zeroed: the old state is there, or the new one."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.chat import ChatEntry
from engine.ports.clock import FakeClock
from engine.storage.layout import Layout
from engine.storage.runs import Runs
from engine.storage.store import Store


class Disk:
    """Notes each change of a folder tree; ``snapshots`` are what a power loss after each step would leave.

    Names are kept as soon as they change (the friendlier half of what disks do), contents only once they are synced:
    until then a file is as long as it was written, and zeros.
    """

    def __init__(self, root: Path, keep: Path) -> None:
        self.root, self.keep = root, keep
        self.unsynced: dict[int, int] = {}  # inode to the length that is safe
        self.snapshots: list[Path] = []

    def snapshot(self) -> None:
        target = self.keep / str(len(self.snapshots))
        shutil.copytree(self.root, target, symlinks=True)
        for path in self.root.rglob("*"):
            safe = self.unsynced.get(path.stat().st_ino)
            if safe is not None and path.is_file():
                copy, size = target / path.relative_to(self.root), path.stat().st_size
                with copy.open("r+b") as stream:
                    stream.seek(safe)
                    stream.write(b"\0" * (size - safe))
        self.snapshots.append(target)

    @contextmanager
    def watching(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        with patch.context() as context:
            for name in ("write", "fsync", "rename", "replace", "unlink", "link"):
                context.setattr(os, name, self.noting(name, getattr(os, name)))
            yield
        self.snapshot()

    def noting(self, name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            if name == "write":
                status = os.fstat(args[0])  # type: ignore[arg-type]
                self.unsynced.setdefault(status.st_ino, status.st_size)
            self.snapshot()
            result = real(*args, **named)
            if name == "fsync":
                self.unsynced.pop(os.fstat(args[0]).st_ino, None)  # type: ignore[arg-type]
            return result

        return call


@pytest.fixture
def disk(layout: Layout, tmp_path: Path) -> Disk:
    (tmp_path / "kept").mkdir()
    return Disk(layout.root, tmp_path / "kept")


def test_a_project_is_old_or_new_after_any_power_loss(
    store: Store, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = store.create_project("harbor", "/old")
    with disk.watching(monkeypatch):
        store.mutate_project(project.id, lambda f: f.with_project(replace(f.project, cwd="/new")))
    seen = []
    for snapshot in disk.snapshots:
        again = Store(Layout(snapshot), FakeClock())
        again.recover()
        seen.append(again.project_file(project.id).project.cwd)
        assert json.loads(again.layout.project_json(project.id).read_bytes())
    assert len(seen) >= 5
    assert seen[0] == "/old" and seen[-1] == "/new"
    assert seen == sorted(seen, reverse=True)  # never back again


def test_a_log_keeps_what_was_acknowledged_after_any_power_loss(
    store: Store, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = store.create_project("harbor", "/")
    entries = [ChatEntry(id=f"c{n}", ts="t", role="user", sender="me", text="x" * 99) for n in range(3)]
    store.append_chat(project.id, entries[0])
    with disk.watching(monkeypatch):
        store.append_chat(project.id, entries[1])
        acknowledged = len(disk.snapshots)
        store.append_chat(project.id, entries[2])
    for step, snapshot in enumerate(disk.snapshots):
        again = Store(Layout(snapshot), FakeClock())
        again.recover()
        found = again.tail_chat(project.id, 9)
        assert found == entries[: len(found)]
        assert len(found) >= (2 if step >= acknowledged else 1)
        again.append_chat(project.id, entries[0])
        assert again.tail_chat(project.id, 9) == [*found, entries[0]]
    assert found == entries


def test_a_session_is_whole_and_agrees_with_its_journal_after_any_power_loss(
    runs: Runs, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with disk.watching(monkeypatch):
        run = runs.create(project_id="p", agent_id="a", agent_name="b", cli="c")
        made = len(disk.snapshots)
        runs.update(run, state="working")
        worked = len(disk.snapshots)
        runs.update(run, state="failed", reason="it fell")
    for step, snapshot in enumerate(disk.snapshots):
        again = Runs(Layout(snapshot), FakeClock())
        again.recover()
        found = again.latest(9)
        assert found or step < made
        if found:
            assert again.verify(found[0]) == []
            assert found[0].state in (("starting", "working", "failed") if step < worked else ("working", "failed"))
        assert again.create(project_id="p", agent_id="a", agent_name="b", cli="c").number > len(found)
    assert found[0].state == "failed"
