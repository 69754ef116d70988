"""Names that look the same: one that is the same is refused, one that only looks so lives apart, also in its end."""

import pytest

from engine.domain.errors import Conflict
from engine.storage.names import looks_like
from engine.storage.store import Store

SAME = [
    ("Caf\u00e9", "Cafe\u0301"),
    ("Harbor", "harbor"),
    ("harbor", "harbor."),
    ("harbor", " harbor "),
    ("ﬁne", "fine"),
]
ALIKE = [("lantern", "l\u0430ntern"), ("Ο", "O"), ("l0g", "log"), ("modern", "modem")]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_name_that_is_the_same_is_refused_and_touches_nothing(store: Store, first: str, second: str) -> None:
    kept = store.create_project(first, "/src/one")
    (store.layout.shared(kept.name) / "note.md").write_text("kept")
    with pytest.raises(Conflict):
        store.create_project(second, "/src/two")
    assert [project.id for project in store.list_projects()] == [kept.id]
    assert (store.layout.shared(kept.name) / "note.md").read_text() == "kept"


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_deleting_one_of_two_look_alikes_leaves_the_other_whole(store: Store, first: str, second: str) -> None:
    assert looks_like(first, second)
    one, other = store.create_project(first, "/src/one"), store.create_project(second, "/src/two")
    for project in (one, other):
        (store.layout.shared(project.name) / "note.md").write_text(project.id)
        (store.layout.wiki_of(project.name) / "page.md").write_text(project.id)
    store.delete_project(one.id, remove_data=True)
    assert [project.id for project in store.list_projects()] == [other.id]
    assert (store.layout.shared(other.name) / "note.md").read_text() == other.id
    assert (store.layout.wiki_of(other.name) / "page.md").read_text() == other.id
    assert not store.layout.shared(one.name).exists()
