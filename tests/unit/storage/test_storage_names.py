"""Names and paths from outside never lead outside, never collide unseen, and open everywhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import BadRequest
from engine.storage.names import contained, folder_name, looks_like, same_name, validate_id


@pytest.mark.parametrize(
    "name", ["../../x", "/abs", "a\0b", "..\\x", ".", "..", "", "   ", "a\nb", "\u200b", "\x1b[2J"]
)
def test_a_name_that_could_lead_astray_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(BadRequest, match="choose a name"):
        folder_name(name)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("harbor", "harbor"),
        ("Harbor Lights", "Harbor Lights"),
        ("nul", "_nul"),
        ("CON.txt", "_CON.txt"),
        ("com1", "_com1"),
        ("aux ", "_aux"),
        ("a:b", "a-b"),
        (".git", "_.git"),
        ("-rf", "_-rf"),
        ("harbor.", "harbor"),
        ("日本", "日本"),
        ("a\u202eb", "ab"),
    ],
)
def test_an_awkward_name_gets_a_folder_that_every_platform_takes(name: str, folder: str) -> None:
    assert folder_name(name) == folder


def test_long_names_stay_apart_after_shortening() -> None:
    one, other = folder_name("x" * 300), folder_name("x" * 299 + "y")
    assert one != other
    assert len(one.encode()) <= 100


@given(st.text(max_size=200))
def test_any_name_is_refused_or_one_plain_path_component(name: str) -> None:
    try:
        folder = folder_name(name)
    except BadRequest:
        return
    assert Path("/base", folder).resolve().parent == Path("/base")
    assert 0 < len(folder.encode()) <= 110
    assert folder == folder.strip() and folder[0] not in ".-~" and folder[-1] not in ". "


@pytest.mark.parametrize(
    ("one", "other"),
    [("Caf\u00e9", "Cafe\u0301"), ("Harbor", "harbor"), ("harbor ", "harbor."), ("ＡＢ", "ab"), ("a  b", "a b")],
)
def test_names_that_a_person_or_a_disk_takes_for_one_are_the_same(one: str, other: str) -> None:
    assert same_name(one, other)


@pytest.mark.parametrize(("one", "other"), [("lantern", "l\u0430ntern"), ("Oslo", "0slo"), ("modern", "modem")])
def test_names_that_only_look_the_same_are_noticed(one: str, other: str) -> None:
    assert looks_like(one, other)
    assert not same_name(one, other)


def test_plainly_different_names_do_not_look_alike() -> None:
    assert not looks_like("harbor", "lantern")


@pytest.mark.parametrize("bad", ["..", "../x", "/etc/passwd", "a/../../b", "", ".", "a\0b", "link/x"])
def test_a_path_that_leads_outside_is_refused(tmp_path: Path, bad: str) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (base / "link").symlink_to("/etc")
    with pytest.raises(BadRequest):
        contained(base, bad)


def test_a_path_inside_comes_back_resolved(tmp_path: Path) -> None:
    assert contained(tmp_path, "a/./b.txt") == tmp_path.resolve() / "a" / "b.txt"


@pytest.mark.parametrize("bad", ["..", ".", "", "a/b", "%2e%2e", "h*rbor", ".deleted-x", "a\0", "-x", "x.", "a" * 101])
def test_what_is_not_an_id_is_refused(bad: str) -> None:
    with pytest.raises(BadRequest, match="not an id"):
        validate_id(bad)
