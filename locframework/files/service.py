"""Files: uploading and reading images, and using them as screenshots."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta

from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.errors import FileNotFound, PayloadTooLarge, Unavailable
from locframework.fields import Clock, is_id, new_id, timestamp
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.transactions import crash_point

from .records import IMAGE_MOST, File, StoredFile
from .rules import image_type
from .store import FileStorage

log = logging.getLogger("locframework.files")

KEEP_UPLOADED = timedelta(hours=1)  # a blob without a file yet
LOOKED_AT_EVERY = timedelta(days=1)
UNUSED_KEPT = timedelta(days=30)
PURGED_AT_ONCE = 1000


@dataclass(eq=False, repr=False)
class Files:
    """Images of projects, which keys name by ``screenshotFileId``."""

    _storage: FileStorage
    _projects: Projects
    _blobs: Blobs
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.files

    def add_file(self, caller: Caller, project_id: str, content: bytes) -> File:
        """Store a PNG, JPEG or WebP image, 5 MiB at most. Raises ProjectNotFound,
        PermissionDenied, PayloadTooLarge, UnreadableFile."""
        return self.prepare_file(caller, project_id, content)()

    def prepare_file(
        self, caller: Caller, project_id: str, content: bytes
    ) -> Callable[[], File]:
        """Store the content; return the transaction of ``add_file``, to be called."""
        project = self._projects.require(caller, "key_update", project_id)
        if len(content) > IMAGE_MOST:
            raise PayloadTooLarge(f"an image has at most {IMAGE_MOST} bytes")
        content_type = image_type(content)
        note = self._blobs.put(content, keep_for=KEEP_UPLOADED)
        crash_point("files.after_put")
        now = timestamp(self._clock())
        file = StoredFile(
            id=new_id(),
            project_id=project.id,
            content_type=content_type,
            byte_size=note.byte_size,
            blob=note.name,
            store=note.store,
            created_at=now,
            unused_since=now,
        )
        return lambda: self._add(project, file)

    def read_file(
        self, caller: Caller, project_id: str, file_id: str
    ) -> tuple[StoredFile, Callable[[], bytes]]:
        """Return a file, and a function that reads its bytes or raises Unavailable.
        Raises FileNotFound."""
        project = self._projects.require(caller, "translation_read", project_id)
        found = self._store.find(file_id, project.id) if is_id(file_id) else None
        if found is None:
            raise FileNotFound
        return found, lambda: self._content(found)

    def url_of(self, project: Project, file_id: str) -> str | None:
        """Return where a file is read, below the API's base URL; None if it is gone."""
        if not is_id(file_id) or self._store.find(file_id, project.id) is None:
            return None
        return path_of(project.id, file_id)

    def use_files(self, project: Project, file_ids: Collection[str]) -> dict[str, str]:
        """In a transaction that makes keys name files: return the path of each below
        the API's base URL, by id, of those that the project has. One statement."""
        ids = {file_id for file_id in file_ids if is_id(file_id)}
        used = self._store.use_files(project.id, ids) if ids else ()
        return {file_id: path_of(project.id, file_id) for file_id in used}

    def purge(self) -> None:
        """Forget files that no key has named for 30 days, up to a thousand a call."""
        now = self._clock()
        looked = timestamp(now - LOOKED_AT_EVERY)
        with self._storage.transaction():
            self._store.look_for_unused(timestamp(now), looked, PURGED_AT_ONCE)
        with self._storage.transaction():
            self._storage.purge("files", timestamp(now - UNUSED_KEPT), PURGED_AT_ONCE)

    def _add(self, project: Project, file: StoredFile) -> File:
        with self._storage.transaction():
            self._projects.lock(project)
            self._store.insert(file)
        return File(
            id=file.id,
            url=path_of(project.id, file.id),
            content_type=file.content_type,
            byte_size=file.byte_size,
            created_at=file.created_at,
        )

    def _content(self, file: StoredFile) -> bytes:
        content = self._blobs.get(file.blob, store=file.store)
        if content is None:
            log.error("the blob %s of file %s is missing", file.blob, file.id)
            raise Unavailable("the file's content is not available just now")
        return content


def path_of(project_id: str, file_id: str) -> str:
    """Return the path of a file, below the API's base URL."""
    return f"/projects/{project_id}/files/{file_id}"
