"""Real surroundings: what git and the file system say."""

import subprocess
from pathlib import Path

import pytest

from engine.gates.sources.command import RealSurroundings, judge


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.test", *args],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    for name in ("clean.txt", "dirty.txt"):
        (tmp_path / name).write_text("one\n")
    git("add", ".")
    git("commit", "-qm", "x")
    git("config", "alias.nuke", "reset --hard")
    (tmp_path / "dirty.txt").write_text("two\n")
    (tmp_path / "untracked.txt").write_text("three\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "tier"), [("clean.txt", "routine"), ("dirty.txt", "harmful"), ("untracked.txt", "harmful")]
)
def test_delete_is_graded_by_what_git_holds(repo: Path, name: str, tier: str) -> None:
    assert judge(f"rm {name}", RealSurroundings(str(repo))).tier == tier


def test_reset_counts_the_changed_files(repo: Path) -> None:
    assert RealSurroundings(str(repo)).dirty(str(repo)) == 1
    assert judge("git reset --hard", RealSurroundings(str(repo))).findings[0].count == 1


def test_alias_is_looked_up(repo: Path) -> None:
    assert judge("git nuke", RealSurroundings(str(repo))).tier == "harmful"


def test_project_is_the_top_of_the_repository(repo: Path) -> None:
    (repo / "sub").mkdir()
    where = RealSurroundings(str(repo / "sub"))
    assert where.project == str(repo)
    assert judge("rm ../untracked.txt", where).effects[0].place == "project"


def test_judging_changes_nothing_and_runs_no_helper(repo: Path) -> None:
    marker = repo.parent / "ran"
    subprocess.run(["git", "config", "core.fsmonitor", f"touch {marker}"], cwd=repo, check=True)
    index = (repo / ".git" / "index").read_bytes()
    judge("git reset --hard; rm clean.txt; git restore .", RealSurroundings(str(repo)))
    assert not marker.exists()
    assert (repo / ".git" / "index").read_bytes() == index


def test_folder_that_does_not_exist_is_no_fault() -> None:
    assert judge("rm x", RealSurroundings("/nonexistent/folder")).tier == "harmful"
