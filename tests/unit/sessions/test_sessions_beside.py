"""What stands beside a session: marks, uploads, snapshots, tokens, profiles."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.domain.projects import Agent
from engine.domain.runs import Run
from engine.ports.clock import FakeClock
from engine.sessions import attempt, profiles
from engine.sessions.marks import Marks
from engine.sessions.provenance import Provenance
from engine.sessions.seeding import seed
from engine.sessions.uploads import attach, uploads
from engine.storage.layout import Layout
from engine.storage.runs import Runs

AGENT = Agent(
    id="a-1", project_id="p-1", name="backend", cli="gpt", cwd="/src", flags=("--key=sk-abcdef0123456789abcd",)
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 1, 1, 12, tzinfo=UTC))


@pytest.fixture
def runs(tmp_path: Path, clock: FakeClock) -> Runs:
    runs = Runs(Layout(tmp_path / "root"), clock)
    runs.recover()
    seed(runs.layout)
    return runs


@pytest.fixture
def run(runs: Runs) -> Run:
    return runs.create(project_id="p-1", agent_id="a-1", agent_name="backend", cli="gpt")


def test_a_time_to_resume_is_wall_time_on_disk_and_goes_for_good(runs: Runs, run: Run, clock: FakeClock) -> None:
    marks = Marks(runs.layout, clock)
    at = datetime(2026, 1, 1, 14, tzinfo=UTC)
    assert marks.arm(run.id, at, "cli") == "2026-01-01T14:00:00Z"
    assert Marks(runs.layout, FakeClock()).armed() == {run.id: at}
    assert marks.disarm(run.id)
    assert not marks.disarm(run.id)
    assert marks.armed() == {}
    assert marks.armed_at(run.id) is None


def test_a_mark_that_was_never_put_in_place_arms_nothing(runs: Runs, run: Run, clock: FakeClock) -> None:
    marks = Marks(runs.layout, clock)
    marks.arm(run.id, datetime(2026, 1, 1, 14, tzinfo=UTC), "cli")
    mark = runs.layout.auto_resume(run.id)
    left = mark.with_name(f".{mark.name}.1-abcd.tmp")  # of a writer that was killed
    left.write_bytes(mark.read_bytes())
    assert marks.disarm(run.id)
    (runs.layout.armed / run.id).touch()
    assert marks.armed() == {}
    assert not left.exists()
    left.write_text("{}")
    assert marks.armed_at(run.id) is None


@pytest.mark.parametrize("at", [datetime(2026, 1, 1, 14), datetime(2026, 1, 1, 11, tzinfo=UTC)])  # noqa: DTZ001
def test_a_time_without_zone_or_past_is_refused(runs: Runs, run: Run, clock: FakeClock, at: datetime) -> None:
    with pytest.raises(BadRequest):
        Marks(runs.layout, clock).arm(run.id, at, "cli")


def test_an_upload_is_whole_or_not_there(runs: Runs, run: Run) -> None:
    made = attach(runs.layout, run, "a b.txt", b"data")
    assert uploads(runs.layout, run) == [made]
    assert Path(made.path).read_bytes() == b"data"
    with pytest.raises(BadRequest):
        attach(runs.layout, run, "../../x", b"data")
    (runs.layout.uploads(run.id) / ".new-u-1").mkdir()
    assert uploads(runs.layout, run) == [made]


def test_a_deleted_session_takes_no_upload(runs: Runs, run: Run) -> None:
    runs.update(run, state="failed")
    runs.delete(run.id)
    with pytest.raises(NotFound):
        attach(runs.layout, run, "a.txt", b"data")
    assert not runs.layout.run(run.id).exists()


def test_what_a_session_began_with_is_kept_without_secrets_and_checked(runs: Runs, run: Run) -> None:
    attempt.record(runs.layout, run, AGENT, variables=("GROQ_API_KEY", "PATH"), profile="standard")
    attempt.check(runs.layout, run)
    kept = runs.layout.template(run.id).read_text()
    assert "GROQ_API_KEY" in kept
    assert "sk-abcdef" not in kept
    rules = runs.layout.host_assets(run.id) / "rules" / "working-together.md"
    text = rules.read_text()
    rules.unlink()
    with pytest.raises(Unavailable, match=r"working-together\.md"):
        attempt.check(runs.layout, run)
    rules.write_text(text)
    attempt.check(runs.layout, run)


def test_a_token_stands_for_its_step_until_its_attempt_ends(runs: Runs, run: Run, clock: FakeClock) -> None:
    kept = Provenance(runs.layout, clock)
    step = runs.create(project_id="p-1", agent_id="a-2", agent_name="helper", cli="gpt", parent=run)
    kept.mint("t-1", run, timedelta(hours=1))
    kept.mint("t-2", step, timedelta(hours=3))
    assert (kept.run_of("t-1"), kept.run_of("t-2"), kept.run_of("t-9")) == (run.id, step.id, None)
    clock.advance(7200)
    assert (kept.run_of("t-1"), kept.run_of("t-2")) == (None, step.id)
    assert kept.expire(run.id) == 2  # a session's end takes the tokens of its steps along
    assert kept.run_of("t-2") is None


def test_each_project_has_its_profile(runs: Runs) -> None:
    layout = runs.layout
    (layout.profiles / "careful.yaml").write_text("id: careful\n")
    profiles.choose(layout, "p-1", "careful")
    assert (profiles.profile_of(layout, "p-1"), profiles.profile_of(layout, "p-2")) == ("careful", "standard")
    with pytest.raises(NotFound, match="careful, standard"):
        profiles.choose(layout, "p-1", "unknown")
    profiles.forget(layout, "p-1")
    assert profiles.profile_of(layout, "p-1") == "standard"


def test_ended_and_resumed_sessions_say_when(runs: Runs, run: Run) -> None:
    ended = runs.update(run, state="failed", exit_code=3, reason="it fell")
    assert ended.ended_at is not None
    again = runs.update(ended, state="starting")
    assert replace(again, updated_at=run.updated_at) == run
    assert runs.verify(again) == []
