"""The port for file storage, and a wrapper that logs faults of a store."""

import logging
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable


class BlobStore(Protocol):
    """Content-addressed, durable, shared by threads and processes.

    A name is 64 lower-case hex digits, the SHA-256 of the content; any other name is
    a ValueError, before anything is touched. Access, names and quota are judged by
    the framework before a store is called.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``blob_store`` and ``storage`` fields choose by."""
        ...

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content``; when this returns it survives a crash of the machine.

        Another put of the same name changes nothing. ValueError when the name is
        not the content's SHA-256. A reader never sees a part of it. Raises
        Unavailable when it cannot be kept (disk full, store out of reach).
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
        """Every name kept, in no order. For checks and clean-up."""
        ...

    def public_url(self, name: str) -> str | None:
        """Where the public can fetch it without us, or None: we serve it.

        An absolute URL that never changes for this name (a CDN, a bucket).
        """
        ...


T = TypeVar("T")
log = logging.getLogger("locframework.plugins")


class CheckedBlobStore:
    """A blob store whose faults, and answers that cannot be, are logged and
    Unavailable.

    Names come from the framework, so a ValueError about one is a fault as well.
    """

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self.name = store.name

    def put(self, name: str, content: bytes) -> None:
        """As the port says."""
        self._ask(lambda: self._store.put(name, content))

    def get(self, name: str) -> bytes | None:
        """As the port says."""
        return self._ask(lambda: _content(self._store.get(name)))

    def has(self, name: str) -> bool:
        """As the port says."""
        return self._ask(lambda: bool(self._store.has(name)))

    def delete(self, name: str) -> None:
        """As the port says."""
        self._ask(lambda: self._store.delete(name))

    def names(self) -> Iterator[str]:
        """As the port says."""
        return self._ask(lambda: iter(list(self._store.names())))

    def public_url(self, name: str) -> str | None:
        """As the port says."""
        return self._ask(lambda: _absolute(self._store.public_url(name)))

    def _ask(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except Unavailable:
            raise
        except PLUGIN_EXCEPTIONS as error:
            log.exception("the blob store %s failed", self.name)
            raise Unavailable(f"the blob store {self.name} failed") from error


def _content(found: object) -> bytes | None:
    if not isinstance(found, bytes | None):
        raise TypeError(f"get returned {type(found).__name__}, not bytes")
    return found


def _absolute(url: object) -> str | None:
    if url is None:
        return None
    if not isinstance(url, str):
        raise TypeError(f"public_url returned {url!r}")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"public_url returned {url!r}, which is not absolute")
    return url
