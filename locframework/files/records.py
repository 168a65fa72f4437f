"""Files that people put beside keys: screenshots (decisions 2.6)."""

from typing import Literal

from msgspec import Struct

from locframework.fields import Timestamp
from locframework.http.records import Upload
from locframework.http.responses import Link

ImageType = Literal["image/png", "image/jpeg", "image/webp"]

IMAGE_MOST = 5 * 1024 * 1024  # bytes


class File(Struct, frozen=True, rename="camel"):
    """An image of a project. Its content never changes."""

    id: str
    url: Link
    content_type: ImageType
    byte_size: int
    created_at: Timestamp


class StoredFile(Struct, frozen=True):
    """A file and the blob that has its bytes."""

    id: str
    project_id: str
    content_type: ImageType
    byte_size: int
    blob: str  # SHA-256, hex
    store: str  # BlobStore.name
    created_at: Timestamp
    unused_since: Timestamp | None  # None: a key names it, as far as was looked


class FileForm(Struct, frozen=True):
    """The form that brings a file."""

    file: Upload
