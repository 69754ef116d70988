"""The configuration is the user's: only the shipped pack is rewritten, only what is missing is added."""

from pathlib import Path

import pytest
import yaml

from engine.sessions.seeding import SHIPPED, digest, effective_skills, override, overrides, seed
from engine.storage.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "root")
    assert seed(layout) == []
    return layout


def test_a_fresh_root_gets_pack_profile_and_connection(layout: Layout) -> None:
    assert digest(layout.packs / "conduit") == digest(SHIPPED)
    assert yaml.safe_load((layout.profiles / "standard.yaml").read_text())["id"] == "standard"
    assert [each["id"] for each in yaml.safe_load(layout.connections.read_text())["connections"]] == ["local"]


def test_a_second_start_writes_nothing(layout: Layout) -> None:
    before = {path: path.stat().st_mtime_ns for path in layout.config.rglob("*")}
    assert seed(layout) == []
    assert {path: path.stat().st_mtime_ns for path in layout.config.rglob("*")} == before


def test_a_changed_pack_is_put_right_and_a_users_own_stays(layout: Layout) -> None:
    (layout.packs / "conduit" / "pack.yaml").write_text("id: mine\n")
    (layout.packs / "mine").mkdir()
    (layout.packs / "mine" / "pack.yaml").write_text("id: mine\n")
    (layout.profiles / "standard.yaml").write_text("id: standard\nmine: true\n")
    seed(layout)
    assert digest(layout.packs / "conduit") == digest(SHIPPED)
    assert (layout.packs / "mine" / "pack.yaml").read_text() == "id: mine\n"
    assert "mine: true" in (layout.profiles / "standard.yaml").read_text()


@pytest.mark.parametrize("left", [".new-conduit", ".old-conduit"])
def test_a_crash_while_the_pack_was_replaced_is_finished(layout: Layout, left: str) -> None:
    (layout.packs / "conduit").rename(layout.packs / left)
    seed(layout)
    assert digest(layout.packs / "conduit") == digest(SHIPPED)
    assert [path.name for path in layout.packs.iterdir()] == ["conduit"]


@pytest.mark.parametrize(
    "text",
    [
        "# my comment\nconnections:\n  - id: far  # keep me\n    kind: ssh\nother: 1\n",
        "connections: [{id: far, kind: ssh}]\nother: 1\n",
        "connections:\n- id: far\n  kind: ssh\nother: 1\n",
        "other: 1\n",
    ],
)
def test_the_built_in_connection_is_added_and_the_rest_kept(layout: Layout, text: str) -> None:
    layout.connections.write_text(text)
    assert seed(layout) == []
    found = yaml.safe_load(layout.connections.read_text())
    assert found["other"] == 1
    assert {each["id"] for each in found["connections"]} == {"local", *(["far"] if "far" in text else [])}
    if "#" in text:
        assert "# my comment" in layout.connections.read_text()
        assert "# keep me" in layout.connections.read_text()


@pytest.mark.parametrize("text", ["connections: [unclosed", "connections: 7\n", "- a\n- b\n"])
def test_connections_that_cannot_be_read_are_left_alone_and_named(layout: Layout, text: str) -> None:
    layout.connections.write_text(text)
    [notice] = seed(layout)
    assert str(layout.connections) in notice
    assert layout.connections.read_text() == text


def test_an_edited_skill_is_what_new_sessions_get_and_says_when_its_base_changed(layout: Layout) -> None:
    made = override(layout, "conduit")
    (made.effective / "SKILL.md").write_text("mine\n")
    assert seed(layout) == []
    assert (effective_skills(layout)["conduit"] / "SKILL.md").read_text() == "mine\n"
    assert override(layout, "conduit") == made  # begun already: the edit stays
    assert (made.effective / "SKILL.md").read_text() == "mine\n"
    (made.base / "SKILL.md").write_text("an older shipped one\n")
    [notice] = seed(layout)
    assert "has changed since you edited it" in notice
    assert [each.skill for each in overrides(layout)] == ["conduit"]
