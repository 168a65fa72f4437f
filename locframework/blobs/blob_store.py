"""The port for file storage."""

from collections.abc import Iterator
from typing import Protocol


class BlobStore(Protocol):
    """Content-addressed, durable, shared by threads and processes.

    A name is 64 lower-case hex digits, the SHA-256 of the content; any other name is
    a ValueError, before anything is touched. The framework checks access, names and
    quota before it calls a store.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``blob_store`` and ``storage`` fields choose by."""

    def put(self, name: str, content: bytes) -> None:
        """Store ``content``; when this returns it survives a crash of the machine.

        Another put of the same name changes nothing. ValueError when the name is
        not the content's SHA-256. A reader never sees a part of it. Raises
        Unavailable when it cannot be stored (disk full, store out of reach).
        """

    def get(self, name: str) -> bytes | None:
        """The whole content, or None when there is none. Never other bytes than those
        put: a damaged blob raises Unavailable."""

    def has(self, name: str) -> bool:
        """Whether ``get`` would find it; cheap, may skip the check for damage."""

    def delete(self, name: str) -> None:
        """Forget the blob; nothing happens when there is none."""

    def names(self) -> Iterator[str]:
        """Return the names of all blobs, in no order. For checks and clean-up."""

    def public_url(self, name: str) -> str | None:
        """Where the public can fetch it without us, or None: we serve it. An absolute
        URL that never changes for this name (a CDN, a bucket)."""
