"""Keeps what a blob store of a plugin does wrong from doing harm to others."""

import logging
from collections.abc import Callable, Iterator
from typing import TypeVar
from urllib.parse import urlsplit

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable

from .blob_store import BlobStore

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
