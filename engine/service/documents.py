"""Published documents: lists, new versions, and the bytes of each."""

import asyncio

from engine.domain.gates import Via
from engine.domain.wire import DocumentView
from engine.service.office import Office
from engine.sessions.documents import Document, Documents


class DocumentService:
    """See docs/architecture.md, "The wire"."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def documents(self, *, project_id: str) -> list[DocumentView]:
        """All of a project, oldest first."""
        await self._office.file(project_id)
        return [document_view(each) for each in await asyncio.to_thread(self._documents().all, project_id)]

    async def document(self, *, project_id: str, document_id: str) -> DocumentView:
        return document_view(await asyncio.to_thread(self._documents().get, project_id, document_id))

    async def publish_document(
        self, *, project_id: str, title: str, file: str, data: bytes, document_id: str | None = None, via: Via
    ) -> DocumentView:
        """A new document, or the next version of one; on disk before this returns."""
        publish = self._documents().publish
        made = await asyncio.to_thread(
            publish, project_id, title=title, file=file, data=data, by=via, document_id=document_id
        )
        view = document_view(made)
        self._office.hub.publish("org:changed", {"document": view})
        return view

    async def document_content(
        self, *, project_id: str, document_id: str, version: int | None = None
    ) -> tuple[str, bytes]:
        """(file name, bytes) of one version, checked against what was published; None: the latest."""
        found, data = await asyncio.to_thread(self._documents().read, project_id, document_id, version)
        return found.file, data

    def _documents(self) -> Documents:
        return Documents(self._office.store.layout, self._office.clock)


def document_view(document: Document) -> DocumentView:
    """A document with its versions."""
    return {
        "id": document.id,
        "projectId": document.project_id,
        "title": document.title,
        "createdAt": document.created_at,
        "versions": [
            {
                "version": each.version,
                "file": each.file,
                "size": each.size,
                "sha256": each.sha256,
                "publishedAt": each.published_at,
                "publishedBy": each.published_by,
            }
            for each in document.versions
        ],
    }
