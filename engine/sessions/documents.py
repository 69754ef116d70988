"""Published documents of a project: each version is written once, and never changes afterwards."""

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from engine.domain.errors import BadRequest, NotFound, Unavailable
from engine.ports.clock import Clock, stamp
from engine.storage import disk
from engine.storage.disk import guarded
from engine.storage.files import locked, read_json, write_json
from engine.storage.layout import Layout
from engine.storage.names import contained, folder_name, validate_id

LARGEST = 50_000_000  # bytes of one version
_RECORD = "document.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One published version: where it lies (``v<n>/<file>``), and by what it is known to be unaltered."""

    version: int
    file: str
    size: int
    sha256: str
    published_at: str
    published_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of one project, its versions oldest first."""

    id: str
    project_id: str
    title: str
    created_at: str
    versions: tuple[Version, ...] = ()


_ADAPTER = TypeAdapter(Document)


class Documents:
    """Synchronous and thread-safe; what a call returned from is on disk."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock

    def publish(
        self, project_id: str, *, title: str, file: str, data: bytes, by: str, document_id: str | None = None
    ) -> Document:
        """A new document, or the next version of one. The bytes of its latest version again change nothing.

        BadRequest for a name that can't be one or too much data, NotFound for a project or document that is gone.
        """
        if len(data) > LARGEST:
            raise BadRequest(f"{file} has {len(data):,} bytes, more than {LARGEST:,}; publish a smaller file.")
        with locked(self._layout.project_json(project_id)):  # NotFound once the project is deleted
            document = self._begun(project_id, title) if document_id is None else self.get(project_id, document_id)
            if document.versions and self._same(document.versions[-1], file, data):
                return document
            return self._add(document, _safe(file), data, by)

    def get(self, project_id: str, document_id: str) -> Document:
        """One document. NotFound, or Unavailable when its record can't be read."""
        path = self._folder(project_id, document_id) / _RECORD
        try:
            return _load(read_json(path).value, path)
        except FileNotFoundError as fault:
            raise NotFound(f"There is no document {document_id} in project {project_id}.") from fault

    def all(self, project_id: str) -> list[Document]:
        """All of a project, oldest first."""
        found = [self.get(project_id, document_id) for document_id in self._ids(project_id)]
        return sorted(found, key=lambda document: (document.created_at, document.id))

    def read(self, project_id: str, document_id: str, version: int | None = None) -> tuple[Version, bytes]:
        """The bytes of one version (None: the latest). Unavailable when they are not what was published."""
        document = self.get(project_id, document_id)
        wanted = document.versions[-1].version if version is None else version
        found = next((each for each in document.versions if each.version == wanted), None)
        if found is None:
            raise NotFound(f"{document.title} has no version {wanted}; it has {len(document.versions)}.")
        path = self._file(document, found)
        with guarded(path, "read"):
            data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != found.sha256:
            raise Unavailable(f"{path} is not what was published: it was altered. Restore it from a backup.")
        return found, data

    def verify(self, project_id: str) -> Iterator[str]:
        """One sentence for each version that is missing or was altered."""
        for document in self.all(project_id):
            for version in document.versions:
                try:
                    self.read(project_id, document.id, version.version)
                except (NotFound, Unavailable) as fault:
                    yield str(fault)

    def _begun(self, project_id: str, title: str) -> Document:
        if not title.strip() or len(title) > 200:
            raise BadRequest("A document needs a title of 1 to 200 characters.")
        fresh = f"d-{secrets.token_hex(5)}"
        return Document(id=fresh, project_id=project_id, title=title.strip(), created_at=stamp(self._clock))

    def _add(self, document: Document, file: str, data: bytes, by: str) -> Document:
        """The bytes come to rest under their final name before the record names them: that is what publishes them."""
        number = len(document.versions) + 1
        version = Version(
            version=number,
            file=file,
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            published_at=stamp(self._clock),
            published_by=by,
        )
        folder = self._folder(document.project_id, document.id)
        place = folder / f"v{number}"
        with guarded(place, "write"):
            disk.make_folder(folder)
            if place.exists():  # left by a crash before it was published, or the record was restored from a copy
                disk.move(place, folder / f"v{number}.unpublished-{secrets.token_hex(4)}")
            disk.make_folder(place)
            disk.replace(place / file, data, 0o444, keep_copy=False)
        after = replace(document, versions=(*document.versions, version))
        write_json(folder / _RECORD, _dump(after))
        return after

    def _same(self, latest: Version, file: str, data: bytes) -> bool:
        return latest.file == _safe(file) and latest.sha256 == hashlib.sha256(data).hexdigest()

    def _folder(self, project_id: str, document_id: str) -> Path:
        return self._home(project_id) / validate_id(document_id)

    def _home(self, project_id: str) -> Path:
        return self._layout.workspace(project_id) / "documents"

    def _file(self, document: Document, version: Version) -> Path:
        folder = self._folder(document.project_id, document.id)
        return contained(folder, f"v{version.version}/{version.file}")

    def _ids(self, project_id: str) -> list[str]:
        folder = self._home(project_id)
        if not folder.is_dir():
            return []
        return sorted(entry.name for entry in folder.iterdir() if (entry / _RECORD).exists())


def _safe(file: str) -> str:
    """A file's name as it goes to disk; BadRequest for what can't be one, such as a path."""
    if file.strip().casefold() == _RECORD:
        raise BadRequest(f"A published file can't be named {_RECORD}; choose another name.")
    return folder_name(file)


def _dump(document: Document) -> dict[str, Any]:
    raw = {to_camel(key): value for key, value in asdict(document).items()}
    raw["versions"] = [{to_camel(k): v for k, v in asdict(version).items()} for version in document.versions]
    return raw


def _load(raw: dict[str, Any], path: Path) -> Document:
    snake = {to_camel(name): name for kind in (Document, Version) for name in kind.__dataclass_fields__}
    try:
        versions = [{snake[k]: v for k, v in each.items() if k in snake} for each in raw["versions"]]
        fields = {snake[key]: value for key, value in raw.items() if key in snake}
        return _ADAPTER.validate_python({**fields, "versions": versions})
    except (ValidationError, KeyError, TypeError, AttributeError) as fault:
        raise Unavailable(f"{path} is not the record of a document: {fault}. Restore it from a backup.") from fault
