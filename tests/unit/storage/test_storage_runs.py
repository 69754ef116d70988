"""Sessions: numbered in start order, moved only as the table allows, and rebuilt from their journal."""

import contextlib
import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.errors import Conflict, NotFound, Unavailable
from engine.domain.runs import Run
from engine.ports.clock import FakeClock
from engine.storage import disk
from engine.storage import runs as runs_module
from engine.storage.files import iter_jsonl, locked
from engine.storage.layout import Layout
from engine.storage.runs import Runs


class Crash(BaseException):
    """The process dies here."""


def start(runs: Runs, project: str = "p-1", parent: Run | None = None) -> Run:
    return runs.create(project_id=project, agent_id="a-1", agent_name="backend", cli="codex", parent=parent)


def test_sessions_are_numbered_in_start_order_and_never_twice(runs: Runs, layout: Layout) -> None:
    first, second = start(runs), start(runs)
    runs.update(second, state="finished")
    runs.delete(second)
    third = start(Runs(layout))
    assert [r.number for r in (first, second, third)] == [1, 2, 3]
    assert first.id < second.id < third.id
    assert layout.session_number.read_text() == "3\n"


def test_threads_that_start_sessions_get_a_number_each(runs: Runs) -> None:
    found: list[Run] = []
    threads = [threading.Thread(target=lambda: found.extend(start(runs) for _ in range(5))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.number for r in found) == list(range(1, 21))
    assert [r.id for r in sorted(found, key=lambda r: r.number)] == sorted(r.id for r in found)


@pytest.mark.parametrize("content", [None, b"", b"\0\0", b"twelve"])
def test_a_lost_number_goes_on_after_the_highest_in_use(runs: Runs, layout: Layout, content: bytes | None) -> None:
    runs.update(start(runs), state="finished")
    runs.delete(runs.update(start(runs), state="finished"))  # only its tombstone carries number 2
    layout.session_index.unlink()
    layout.session_number.unlink() if content is None else layout.session_number.write_bytes(content)
    assert any("numbers go on after 2" in notice for notice in Runs(layout).recover())
    assert start(runs).number == 3
    assert runs.by_number(1).number == 1


def test_a_session_is_found_by_its_number_and_by_what_came_last(runs: Runs, layout: Layout) -> None:
    made = [start(runs) for _ in range(5)]
    runs.delete(runs.update(made[3], state="cancelled"))
    assert runs.by_number(2) == made[1]
    assert [r.number for r in runs.latest(3)] == [5, 3, 2]
    assert [r.number for r in runs.latest(99)] == [5, 3, 2, 1]
    with pytest.raises(NotFound, match="S-4 was deleted"):
        runs.by_number(4)
    for number in (0, -1, 6, 10**30):
        with pytest.raises(NotFound, match="no session"):
            runs.by_number(number)
    layout.session_index.unlink()
    assert [r.number for r in Runs(layout).latest(2)] == [5, 3]


def test_asking_for_the_latest_touches_only_those(runs: Runs, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [start(runs) for _ in range(6)]
    for old in made[:4]:
        layout.run_json(old.id).write_text("{")  # reading it would be noticed
    read: list[Path] = []
    real = runs_module.read_json

    def reading(path: Path) -> object:
        read.append(path)
        return real(path)

    monkeypatch.setattr(runs_module, "read_json", reading)
    assert [r.number for r in runs.latest(2)] == [6, 5]
    assert len(read) == 2


def test_a_run_record_without_a_number_is_refused_by_name(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    for number in (None, "1", 0, True):
        raw = json.loads(layout.run_json(run.id).read_text()) | {"number": number}
        layout.run_json(run.id).write_text(json.dumps(raw))
        with pytest.raises(Unavailable, match=rf"{run.id}/run\.json carries no session number"):
            runs.get(run.id)
    assert any(run.id in notice for notice in runs.recover())


def test_a_move_that_the_table_lacks_is_refused_and_changes_nothing(runs: Runs, layout: Layout) -> None:
    run = runs.update(start(runs), state="cancelled", reason="by the user")
    before = layout.run_json(run.id).read_bytes(), layout.events(run.id).read_bytes()
    with pytest.raises(Conflict, match="S-1 is cancelled and cannot become working"):
        runs.update(run, state="working")
    assert (layout.run_json(run.id).read_bytes(), layout.events(run.id).read_bytes()) == before


def test_a_stale_value_does_not_undo_what_another_wrote(runs: Runs) -> None:
    run = start(runs)
    runs.update(run, conversation_id="c-1")
    assert runs.update(run, state="working").conversation_id == "c-1"


def test_unknown_keys_of_a_run_record_are_kept(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    raw = json.loads(layout.run_json(run.id).read_text()) | {"template": {"x": 1}}
    layout.run_json(run.id).write_text(json.dumps(raw))
    runs.update(run, state="working")
    assert json.loads(layout.run_json(run.id).read_text())["template"] == {"x": 1}


def test_the_place_in_the_output_is_kept_without_a_line_in_the_journal(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    before = layout.events(run.id).read_bytes()
    runs.update(run, output_offset=4096)
    assert runs.get(run.id).output_offset == 4096
    assert layout.events(run.id).read_bytes() == before
    assert runs.verify(run) == []


def test_steps_carry_the_number_and_live_in_their_session(runs: Runs, layout: Layout) -> None:
    root = start(runs)
    step = start(runs, parent=root)
    deeper = start(runs, parent=step)
    assert (step.number, step.root_id, deeper.root_id) == (1, root.id, root.id)
    assert runs.children(root) == [step, deeper]
    assert Path(step.control_path) == layout.run(root.id) / "children" / step.id
    assert step.workspace_path == root.workspace_path
    runs.update(step, state="working")
    assert runs.get(step.id, root.id).state == "working"
    assert {r.id for r in runs.live()} == {root.id, step.id, deeper.id}
    with pytest.raises(Conflict, match="step"):
        runs.delete(step)


def test_only_runs_that_expect_a_process_are_live(runs: Runs) -> None:
    one, two = start(runs), start(runs)
    runs.update(one, state="halted")
    assert [r.id for r in runs.live()] == [two.id]
    runs.update(one, state="starting")
    assert {r.id for r in runs.live()} == {one.id, two.id}


def test_a_copied_root_opens_at_its_new_place(runs: Runs, layout: Layout, tmp_path: Path) -> None:
    run = start(runs)
    shutil.copytree(layout.root, tmp_path / "copy")
    there = Runs(Layout(tmp_path / "copy"))
    assert there.recover() == []
    found = there.by_number(1)
    assert found.control_path == str(tmp_path / "copy" / "agents" / "runs" / run.id)
    assert there.verify(found) == []


def test_run_json_is_rebuilt_from_the_journal(runs: Runs, layout: Layout) -> None:
    run = runs.update(start(runs), state="working", conversation_id="c-1")
    run = runs.update(run, state="failed", exit_code=3, reason="it fell", ended_at="t")
    run = runs.update(run, state="starting", exit_code=None, reason=None, ended_at=None)
    layout.run_json(run.id).unlink()
    layout.run_json(run.id).with_name("run.json.bak").unlink()
    assert runs.rebuild(run.id) == run
    assert runs.get(run.id) == run
    assert runs.verify(run) == []


def test_a_record_that_someone_altered_is_found_out(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    raw = json.loads(layout.run_json(run.id).read_text()) | {"state": "finished"}
    layout.run_json(run.id).write_text(json.dumps(raw))
    (sentence,) = runs.verify(runs.get(run.id))
    assert "state is 'finished' in run.json, 'starting' in the journal" in sentence


def test_journal_and_transcript_come_back_in_order(runs: Runs) -> None:
    run = start(runs)
    for n in range(5):
        runs.journal(run, "gate.opened", {"n": n})
        runs.transcript(run, {"role": "agent", "text": f"said {n}"})
    assert [line["data"]["n"] for line in runs.tail_journal(run, 2)] == [3, 4]
    assert [entry["text"] for entry in runs.tail_transcript(run, 2)] == ["said 3", "said 4"]


def test_a_second_engine_is_refused_while_one_owns_the_root(runs: Runs, layout: Layout) -> None:
    faults: list[BaseException] = []

    def second() -> None:
        try:
            with Runs(layout).own():
                pass
        except Unavailable as fault:
            faults.append(fault)

    with runs.own():
        assert layout.runtime_lock.exists()
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert "Another engine owns" in str(faults[0])
    with Runs(layout).own():
        pass


# -- deletion and crashes


def test_a_living_session_is_not_deleted(runs: Runs) -> None:
    root = start(runs)
    step = start(runs, parent=root)
    root = runs.update(root, state="finished")
    with pytest.raises(Conflict, match="S-1 is starting; cancel it first"):
        runs.delete(root)
    runs.update(step, state="cancelled")
    runs.delete(root)


def test_a_deleted_session_leaves_its_tombstone_and_nothing_else(runs: Runs, layout: Layout) -> None:
    run = runs.update(start(runs), state="finished")
    runs.delete(run)
    assert runs.tombstone(run.id)["number"] == 1
    assert not layout.run(run.id).exists() and not layout.work_of(run.id).exists()
    assert list(layout.live.iterdir()) == [] and list(layout.half_done.iterdir()) == []
    for late in (
        lambda: runs.update(run, state="starting"),
        lambda: runs.journal(run, "x", {}),
        lambda: runs.transcript(run, {}),
        lambda: runs.messages(run).enqueue("m", "t", sender="u", via="web"),
        lambda: runs.get(run.id),
        lambda: runs.delete(run),
    ):
        with pytest.raises(NotFound):
            late()
    assert not layout.run(run.id).exists()


def crash(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    real: Callable[..., object] = getattr(disk, name)
    calls = 0

    def dying(*args: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Crash
        return real(*args, **named)

    monkeypatch.setattr(disk, name, dying)


CALLS = [("replace", 1), ("replace", 2), ("move", 1), ("move", 2), ("remove_tree", 1), ("remove_tree", 2)]


@pytest.mark.parametrize(("function", "call"), CALLS)
def test_a_deletion_cut_off_anywhere_is_finished_or_never_was(
    runs: Runs, layout: Layout, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    run = runs.update(start(runs), state="finished")
    with monkeypatch.context() as patch:
        crash(patch, function, call)
        with contextlib.suppress(Crash):
            runs.delete(run)
    again = Runs(layout)
    again.recover()
    deleted = layout.tombstone(run.id).exists()
    assert layout.run(run.id).exists() is not deleted
    assert layout.work_of(run.id).exists() is not deleted
    assert list(layout.live.iterdir()) == [] and list(layout.half_done.iterdir()) == []
    assert again.recover() == []


@pytest.mark.parametrize(("function", "call"), CALLS)
@pytest.mark.parametrize("step", [False, True])
def test_a_start_cut_off_anywhere_leaves_a_whole_run_or_none(
    runs: Runs, layout: Layout, monkeypatch: pytest.MonkeyPatch, function: str, call: int, step: bool
) -> None:
    parent = start(runs) if step else None
    with monkeypatch.context() as patch:
        crash(patch, function, call)
        with contextlib.suppress(Crash):
            start(runs, parent=parent)
    again = Runs(layout)
    again.recover()
    assert again.recover() == []
    found = [run for root in again.latest(9) for run in (root, *again.children(root))]
    assert sorted(found, key=lambda r: r.id) == sorted(again.live(), key=lambda r: r.id)
    assert all(again.verify(run) == [] for run in found)
    assert list(layout.half_done.iterdir()) == []
    assert start(again).number > max([run.number for run in found], default=0)


def test_a_change_that_only_the_journal_got_is_applied_at_the_next_start(
    runs: Runs, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.update(start(runs), state="working")
    with monkeypatch.context() as patch:
        crash(patch, "replace", 1)
        with pytest.raises(Crash):
            runs.update(run, state="failed", reason="it fell")
    assert runs.get(run.id).state == "working"
    again = Runs(layout)
    assert "S-1 is failed, as its journal says; run.json said working." in again.recover()
    assert (again.get(run.id).state, again.get(run.id).reason) == ("failed", "it fell")
    assert again.verify(again.get(run.id)) == [] and again.live() == []


def test_torn_tails_are_set_aside_journalled_and_said(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    for path in (layout.events(run.id), layout.transcript(run.id)):
        with path.open("ab") as stream:
            stream.write(b'{"ts":"t","te')
    notices = Runs(layout).recover()
    assert len([n for n in notices if "cut off" in n]) == 2
    told = [line["data"]["notice"] for line in iter_jsonl(layout.events(run.id)) if line["type"] == "recovered"]
    assert told == notices
    assert layout.transcript(run.id).with_name("transcript.jsonl.torn").exists()


@pytest.mark.parametrize("spoiled", [b"", b"\0" * 300, b'{"id": "x', None])
def test_a_spoiled_run_record_comes_back_as_the_journal_tells_it(
    runs: Runs, layout: Layout, spoiled: bytes | None
) -> None:
    run = runs.update(runs.update(start(runs), state="working"), state="waiting", conversation_id="c-9")
    path = layout.run_json(run.id)
    for copy in path.parent.glob("run.json.*"):
        copy.unlink()
    path.unlink() if spoiled is None else path.write_bytes(spoiled)
    notices = Runs(layout).recover()
    assert any("rebuilt from the journal" in notice for notice in notices)
    assert runs.get(run.id) == replace(run, updated_at=runs.get(run.id).updated_at)


def test_a_stale_copy_of_a_run_record_is_brought_up_to_date(runs: Runs, layout: Layout) -> None:
    run = runs.update(runs.update(start(runs), state="working"), state="waiting")
    layout.run_json(run.id).write_bytes(b"\0" * 300)  # its .bak says "working"
    Runs(layout).recover()
    assert runs.get(run.id).state == "waiting"


def test_recovery_looks_at_live_runs_only(runs: Runs, layout: Layout) -> None:
    old = runs.update(start(runs), state="finished")
    layout.run_json(old.id).write_text("{")
    layout.events(old.id).write_bytes(b"torn")
    live = start(runs)
    assert Runs(layout).recover() == []
    assert [r.id for r in runs.live()] == [live.id]


def test_a_change_that_failed_half_way_counts_for_the_next_one(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal got it and run.json did not: what follows goes on from the journal, so the two never disagree."""
    run = runs.create(project_id="p", agent_id="a", agent_name="b", cli="c")
    real = os.replace

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "injected")

    with monkeypatch.context() as context:
        context.setattr(os, "rename", refuse)
        context.setattr(os, "replace", refuse)
        with pytest.raises(Unavailable):
            runs.update(run, state="working", reason="busy")
    assert os.replace is real
    after = runs.update(run.id, conversation_id="c-1")
    assert (after.state, after.reason) == ("working", "busy")
    assert runs.verify(after) == []


def test_recovery_waits_for_a_session_that_is_just_being_made(runs: Runs, layout: Layout) -> None:
    """Another process may be making one while an engine starts: it is not taken for a half-made one."""
    with locked(layout.half_done):
        (layout.half_done / "new-someone").mkdir()
        thread = threading.Thread(target=Runs(layout, FakeClock()).recover)
        thread.start()
        thread.join(0.2)
        assert (layout.half_done / "new-someone").is_dir()
        (layout.half_done / "new-someone").rmdir()
    thread.join(10)
    assert not thread.is_alive()


def test_a_deletion_that_left_both_names_is_finished(runs: Runs, layout: Layout) -> None:
    run = start(runs)
    runs.update(run, state="failed")
    left = layout.half_done / f"deleted-{run.id}"
    shutil.copytree(layout.run(run.id), left)
    runs.delete(run.id)
    assert not layout.run(run.id).exists()
    assert not left.exists()
    assert runs.tombstone(run.id)["number"] == run.number
