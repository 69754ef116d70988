"""Instructions in a user's file: there while agents run, gone afterwards, and every other byte as it was."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.projects import Project
from engine.runtimes import catalog
from engine.sessions import section
from engine.sessions.instructions import Instructions
from engine.sessions.seeding import seed
from engine.storage.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "home")
    layout.agents.mkdir(parents=True)
    seed(layout)
    return layout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def project(folder: Path) -> Project:
    return Project(
        id="p1", name="Apollo", cwd=str(folder), created_at="2026-01-01T00:00:00Z", description="To the moon."
    )


@given(st.binary(max_size=200), st.text(max_size=80))
def test_section_goes_without_touching_a_byte_of_the_rest(data: bytes, text: str) -> None:
    once = section.with_section(data, text)
    assert section.BEGIN in once
    assert section.with_section(once, text) == once
    assert section.without_section(once) == data


@pytest.mark.parametrize("before", [b"", b"no newline", b"one\r\ntwo\r\n", b"\xff\xfe\n\n"])
def test_users_file_has_the_section_while_a_run_needs_it(layout: Layout, folder: Path, before: bytes) -> None:
    file = folder / "AGENTS.md"
    file.write_bytes(before)
    file.chmod(0o640)
    instructions = Instructions(layout)
    assert instructions.give(project(folder), "run1", folder, "AGENTS.md") is None
    assert instructions.give(project(folder), "run2", folder, "AGENTS.md") is None
    assert file.read_bytes().startswith(before)
    assert file.read_bytes().count(section.BEGIN) == 1
    assert b"To the moon." in file.read_bytes()
    assert instructions.take("run1") == []
    assert section.BEGIN in file.read_bytes()
    assert instructions.take("run2") == []
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in folder.iterdir()] == ["AGENTS.md"]


def test_file_that_was_made_goes_and_one_that_the_user_filled_stays(layout: Layout, folder: Path) -> None:
    instructions = Instructions(layout)
    instructions.give(project(folder), "run1", folder, "GEMINI.md")
    instructions.take("run1")
    assert list(folder.iterdir()) == []
    instructions.give(project(folder), "run2", folder, "GEMINI.md")
    with (folder / "GEMINI.md").open("ab") as file:
        file.write(b"mine\n")
    instructions.take("run2")
    assert (folder / "GEMINI.md").read_bytes() == b"mine\n"


def test_engine_that_died_takes_the_sections_of_dead_runs_out_at_its_next_start(layout: Layout, folder: Path) -> None:
    (folder / "CLAUDE.md").write_bytes(b"mine")
    Instructions(layout).give(project(folder), "dead", folder, "CLAUDE.md")
    Instructions(layout).give(project(folder), "alive", folder, "AGENTS.md")
    assert Instructions(layout).keep_only(["alive"]) == []
    assert (folder / "CLAUDE.md").read_bytes() == b"mine"
    assert section.BEGIN in (folder / "AGENTS.md").read_bytes()


def test_removal_that_failed_is_told_once_and_made_up_for_later(layout: Layout, folder: Path) -> None:
    file, aside = folder / "AGENTS.md", folder / "aside"
    file.write_bytes(b"mine")
    assert Instructions(layout).give(project(folder), "run1", folder, "AGENTS.md") is None
    file.rename(aside)
    file.mkdir()  # nothing can be taken out of this
    (told,) = Instructions(layout).take("run1")
    assert "AGENTS.md" in told
    assert Instructions(layout).keep_only(()) == []
    file.rmdir()
    aside.rename(file)
    assert Instructions(layout).keep_only(()) == []
    assert file.read_bytes() == b"mine"
    assert json.loads(layout.instructions.read_text()) == {}


def test_file_that_took_no_section_is_not_asked_about_again(layout: Layout, folder: Path) -> None:
    (folder / "AGENTS.md").mkdir()
    assert Instructions(layout).give(project(folder), "run1", folder, "AGENTS.md")
    assert json.loads(layout.instructions.read_text()) == {}


def test_folder_that_is_gone_needs_nothing_any_more(layout: Layout, folder: Path) -> None:
    assert Instructions(layout).give(project(folder), "run1", folder, "AGENTS.md") is None
    (folder / "AGENTS.md").unlink()
    folder.rmdir()
    assert Instructions(layout).take("run1") == []
    assert json.loads(layout.instructions.read_text()) == {}


def test_section_whose_end_was_deleted_is_left_alone() -> None:
    data = b"before\n" + section.BEGIN + b"\nhalf a section, then the user's words\n"
    assert section.without_section(data) == data
    assert section.without_section(section.with_section(data, "new")) == data


def test_link_out_of_the_folder_is_never_written_through(layout: Layout, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"not the project's")
    (folder / "AGENTS.md").symlink_to(outside)
    (folder / "CLAUDE.md").symlink_to("../missing.md")
    instructions = Instructions(layout)
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert "link" in (instructions.give(project(folder), "run1", folder, name) or "")
    assert instructions.take("run1") == []
    assert outside.read_bytes() == b"not the project's"
    assert not (tmp_path / "missing.md").exists()


def test_link_that_was_planted_later_is_not_followed_at_the_removal(
    layout: Layout, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(section.with_section(b"a copy", "elsewhere"))
    kept = outside.read_bytes()
    instructions = Instructions(layout)
    instructions.give(project(folder), "run1", folder, "AGENTS.md")
    (folder / "AGENTS.md").unlink()
    (folder / "AGENTS.md").symlink_to(outside)
    assert len(instructions.take("run1")) == 1
    assert outside.read_bytes() == kept


def test_link_to_a_sibling_is_kept_and_the_sibling_written(layout: Layout, folder: Path) -> None:
    (folder / "AGENTS.md").write_bytes(b"shared")
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    instructions = Instructions(layout)
    assert instructions.give(project(folder), "run1", folder, "CLAUDE.md") is None
    assert (folder / "CLAUDE.md").is_symlink()
    assert section.BEGIN in (folder / "AGENTS.md").read_bytes()
    instructions.take("run1")
    assert (folder / "AGENTS.md").read_bytes() == b"shared"


def test_pipe_in_the_place_of_the_file_holds_nothing_up(layout: Layout, folder: Path) -> None:
    os.mkfifo(folder / "AGENTS.md")
    assert Instructions(layout).give(project(folder), "run1", folder, "AGENTS.md")


@pytest.mark.parametrize(
    ("cli", "given_to_it"),
    [
        ("claude", ("--add-dir", "/p")),
        ("codex", ("-c", 'sandbox_workspace_write.writable_roots=["/p"]')),
        ("gemini", ("--include-directories", "/p")),
        ("opencode", ()),
        ("gpt", ()),
    ],
)
def test_project_folder_is_handed_over_only_to_agents_that_work_elsewhere(
    cli: str, given_to_it: tuple[str, ...]
) -> None:
    entry = catalog.load().entry(cli)
    assert entry.handing(Path("/elsewhere"), Path("/p")) == given_to_it
    assert entry.handing(Path("/p"), Path("/p")) == ()


@pytest.mark.parametrize("folder", ['/a","/', "/a,/", "/a\\"])
def test_path_that_could_be_taken_for_another_is_not_handed_over(folder: str) -> None:
    assert catalog.load().entry("codex").handing(Path("/elsewhere"), Path(folder)) == ()
    assert catalog.load().entry("gemini").handing(Path("/elsewhere"), Path(folder)) == ()


def test_aider_is_told_to_read_its_instructions() -> None:
    assert catalog.load().entry("gpt").reading(Path("/p")) == ("--read", "/p/AGENTS.md")
    assert catalog.load().entry("claude").reading(Path("/p")) == ()
