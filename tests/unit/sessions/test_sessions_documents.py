"""A published version never changes, and a document that was altered says so."""

import shutil
from pathlib import Path

import pytest

from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.domain.projects import Project
from engine.ports.clock import FakeClock
from engine.sessions.documents import Documents
from engine.storage.layout import Layout
from engine.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(Layout(tmp_path / "root"), FakeClock())
    store.recover()
    return store


@pytest.fixture
def project(store: Store) -> Project:
    return store.create_project("harbor", "/src")


@pytest.fixture
def documents(store: Store) -> Documents:
    return Documents(store.layout, FakeClock())


def test_versions_are_kept_side_by_side(documents: Documents, project: Project) -> None:
    first = documents.publish(project.id, title="Report", file="report.md", data=b"one", by="backend")
    second = documents.publish(project.id, title="", file="report.md", data=b"two", by="backend", document_id=first.id)
    assert [v.version for v in second.versions] == [1, 2]
    assert documents.read(project.id, first.id, 1)[1] == b"one"
    assert documents.read(project.id, first.id)[1] == b"two"
    assert documents.all(project.id) == [second]
    assert list(documents.verify(project.id)) == []


def test_publishing_the_same_bytes_again_makes_no_version(documents: Documents, project: Project) -> None:
    first = documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
    again = documents.publish(project.id, title="", file="a.md", data=b"one", by="me", document_id=first.id)
    assert again == first


def test_an_altered_version_is_refused_and_named(store: Store, documents: Documents, project: Project) -> None:
    made = documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
    path = store.layout.workspaces / project.id / "documents" / made.id / "v1" / "a.md"
    assert path.stat().st_mode & 0o222 == 0
    path.chmod(0o644)
    path.write_bytes(b"other")
    with pytest.raises(Unavailable, match=r"a\.md is not what was published"):
        documents.read(project.id, made.id)
    assert len(list(documents.verify(project.id))) == 1


def test_a_version_left_by_a_crash_is_not_published(store: Store, documents: Documents, project: Project) -> None:
    made = documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
    folder = store.layout.workspaces / project.id / "documents" / made.id
    (folder / "v2").mkdir()
    (folder / "v2" / "b.md").write_bytes(b"half")
    assert len(documents.get(project.id, made.id).versions) == 1
    after = documents.publish(project.id, title="", file="a.md", data=b"two", by="me", document_id=made.id)
    assert documents.read(project.id, made.id)[1] == b"two"
    assert [path.name for path in (folder / "v2").iterdir()] == ["a.md"]
    assert [path.read_bytes() for path in folder.glob("v2.unpublished-*/b.md")] == [b"half"]
    assert len(after.versions) == 2


@pytest.mark.parametrize("file", ["../x", "a/b", "", "document.json", "a\0b"])
def test_a_name_that_leads_elsewhere_is_refused(documents: Documents, project: Project, file: str) -> None:
    with pytest.raises(BadRequest):
        documents.publish(project.id, title="Report", file=file, data=b"x", by="me")


def test_a_deleted_project_takes_no_document(store: Store, documents: Documents, project: Project) -> None:
    made = documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
    store.delete_project(project.id)
    with pytest.raises(NotFound):
        documents.publish(project.id, title="", file="a.md", data=b"two", by="me", document_id=made.id)
    assert documents.read(project.id, made.id)[1] == b"one"


def test_documents_go_with_a_project_only_when_its_data_is_to_go(store: Store, documents: Documents) -> None:
    for remove_data in (False, True):
        project = store.create_project(f"project {remove_data}", "/src")
        documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
        store.delete_project(project.id, remove_data)
        assert (store.layout.workspaces / project.id).exists() is not remove_data


def test_a_lost_record_is_restored_from_its_copy(store: Store, documents: Documents, project: Project) -> None:
    made = documents.publish(project.id, title="Report", file="a.md", data=b"one", by="me")
    documents.publish(project.id, title="", file="a.md", data=b"two", by="me", document_id=made.id)
    record = store.layout.workspaces / project.id / "documents" / made.id / "document.json"
    shutil.copyfile(record, record.with_name("kept"))
    record.write_bytes(b"\0" * 200)
    assert documents.get(project.id, made.id).title == "Report"
