"""The port for file storage, and a wrapper that logs faults of a store."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable


class BlobStore(Protocol):
    """Content-addressed, durable, shared by threads and processes.

    A name is 64 lower-case hex digits, the SHA-256 of the content; any other name is
    a ValueError, before anything is touched. The framework checks access, names and
    quota before it calls a store.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``blob_store`` and ``storage`` fields choose by."""
        ...

    def put(self, name: str, content: bytes) -> None:
        """Store ``content``; when this returns it survives a crash of the machine.

        Another put of the same name changes nothing. ValueError when the name is
        not the content's SHA-256. A reader never sees a part of it. Raises
        Unavailable when it cannot be stored (disk full, store out of reach).
        """
        ...

    def get(self, name: str) -> bytes | None:
        """The whole content, or None when there is none.

        Never other bytes than those put: a damaged blob raises Unavailable.
        """
        ...

    def has(self, name: str) -> bool:
        """Whether ``get`` would find it; cheap, may skip the check for damage."""
        ...

    def delete(self, name: str) -> None:
        """Forget the blob; nothing happens when there is none."""
        ...

    def names(self) -> Iterator[str]:
        """Return the names of all blobs, in no order. For checks and clean-up."""
        ...

    def public_url(self, name: str) -> str | None:
        """Where the public can fetch it without us, or None: we serve it.

        An absolute URL that never changes for this name (a CDN, a bucket).
        """
        ...


log = logging.getLogger("locframework.plugins")


class CheckedBlobStore:
    """A blob store of a plugin whose exceptions are logged, and are Unavailable.

    Names come from the framework, so a ValueError about one is a fault of the store.
    """

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self.name = store.name

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except Unavailable:
            raise
        except PLUGIN_EXCEPTIONS as error:
            log.exception("the blob store %s failed", self.name)
            raise Unavailable(f"the blob store {self.name} failed") from error

    def put(self, name: str, content: bytes) -> None:
        """See ``BlobStore``."""
        with self._guard():
            self._store.put(name, content)

    def get(self, name: str) -> bytes | None:
        """See ``BlobStore``."""
        with self._guard():
            return self._store.get(name)

    def has(self, name: str) -> bool:
        """See ``BlobStore``."""
        with self._guard():
            return self._store.has(name)

    def delete(self, name: str) -> None:
        """See ``BlobStore``."""
        with self._guard():
            self._store.delete(name)

    def names(self) -> Iterator[str]:
        """See ``BlobStore``."""
        with self._guard():
            return iter(list(self._store.names()))

    def public_url(self, name: str) -> str | None:
        """See ``BlobStore``."""
        with self._guard():
            return self._store.public_url(name)
