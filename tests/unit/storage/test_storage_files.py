"""A JSON file is whole after anything, and a spoiled one is recovered, kept aside, and spoken of."""

import json
import os
import stat
from pathlib import Path

import pytest

from engine.domain.errors import NotFound, Unavailable
from engine.storage.files import read_json, remove_leftovers, write_json

GOOD = {"projects": [{"name": "harbor"}]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects.json"


@pytest.mark.parametrize(
    "spoiled",
    [b'{"projects": [{"name": "harbor", "pa', b"", b"\0" * 4096, b'{"projects": []}trailing', b"[1]", b"\xff\xfe"],
    ids=["half", "empty", "zeros", "trailing", "not an object", "not text"],
)
@pytest.mark.parametrize("sibling", [".bak", ".tmp", ".old"])
def test_a_spoiled_file_is_restored_from_what_lies_beside_it(path: Path, spoiled: bytes, sibling: str) -> None:
    path.write_bytes(spoiled)
    path.with_name(path.name + sibling).write_text(json.dumps(GOOD))
    loaded = read_json(path)
    assert loaded.value == GOOD
    assert loaded.notice is not None and "kept as projects.json.broken-1" in loaded.notice
    assert path.with_name("projects.json.broken-1").read_bytes() == spoiled
    assert json.loads(path.read_text()) == GOOD
    assert read_json(path).notice is None


def test_a_missing_file_with_versions_beside_it_is_no_fresh_start(path: Path) -> None:
    old, newer = path.with_name("projects.json.old"), path.with_name("projects.json.tmp-4821")
    old.write_text('{"n": 1}')
    newer.write_text('{"n": 2}')
    os.utime(old, (1000, 1000))
    os.utime(newer, (2000, 2000))
    loaded = read_json(path)
    assert loaded.value == {"n": 2}
    assert "was missing" in (loaded.notice or "")
    assert path.exists()


def test_the_newest_version_that_reads_wins_over_a_newer_half_one(path: Path) -> None:
    path.write_bytes(b"")
    path.with_name("projects.json.bak").write_text('{"n": 1}')
    half = path.with_name(".projects.json.77-ab.tmp")
    half.write_text('{"n": 2')
    os.utime(path.with_name("projects.json.bak"), (1000, 1000))
    assert read_json(path).value == {"n": 1}


def test_nothing_at_all_is_a_fresh_start(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_json(path)


def test_a_spoiled_file_without_a_good_copy_is_left_alone_and_named(path: Path) -> None:
    path.write_bytes(b"{")
    with pytest.raises(Unavailable, match=r"projects\.json could not be read.*mend it"):
        read_json(path)
    assert path.read_bytes() == b"{"


def test_spoiled_versions_do_not_pile_up(path: Path) -> None:
    for n in range(8):
        write_json(path, {"n": n})
        write_json(path, {"n": n})
        path.write_bytes(b"spoiled %d" % n)
        assert read_json(path).value == {"n": n}
    kept = sorted(p.name for p in path.parent.glob("*.broken-*"))
    assert kept == ["projects.json.broken-6", "projects.json.broken-7", "projects.json.broken-8"]


def test_writing_keeps_the_version_before_and_leaves_no_temporary_file(path: Path) -> None:
    write_json(path, {"n": 1})
    write_json(path, {"n": 2})
    assert json.loads(path.with_name("projects.json.bak").read_text()) == {"n": 1}
    assert sorted(p.name for p in path.parent.iterdir()) == ["projects.json", "projects.json.bak"]


def test_a_private_file_is_readable_by_its_owner_alone(path: Path) -> None:
    write_json(path, {"token": "x"}, private=True)
    write_json(path, {"token": "y"}, private=True)
    modes = {stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert modes == {0o600}


def test_writing_never_creates_the_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        write_json(tmp_path / "gone" / "project.json", {})
    assert not (tmp_path / "gone").exists()


def test_text_that_no_encoding_carries_survives(path: Path) -> None:
    write_json(path, {"text": "\ud83d half, é whole"})
    assert read_json(path).value == {"text": "\ud83d half, é whole"}


def test_leftovers_of_dead_writers_are_removed_and_the_copy_stays(path: Path) -> None:
    write_json(path, {"n": 1})
    write_json(path, {"n": 2})
    path.with_name(".projects.json.99-aa.tmp").write_text('{"n": 3')
    remove_leftovers(path)
    assert sorted(p.name for p in path.parent.iterdir()) == ["projects.json", "projects.json.bak"]
