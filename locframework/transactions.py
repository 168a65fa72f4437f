"""Ports of the storage that all areas use: transactions and repositories.

Also the points around transactions where tests kill the process.
"""

import os
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from .errors import NotFound
from .fields import Timestamp, id_from_reference

T = TypeVar("T")


class Transactions(Protocol):
    """All or nothing, for the thread that asks."""

    def transaction(
        self, first: Callable[[], None] | None = None
    ) -> AbstractContextManager[None]:
        """Write: all of it is kept when the block ends, or nothing of it.

        With ``first`` it begins later: with the first transaction inside the block,
        which calls ``first`` at once and stays open until the block ends. If that
        inner one fails, it is rolled back, and the next one begins again. What is read
        before is not part of it. Such a block inside another that has not begun is one
        of its own; the outer one still begins with the next transaction after it.

        When the outermost block has ended, what was written survives a crash of the
        machine. A block inside a block joins it. Reads inside see what was written.
        Waits up to 5 s for others, then raises Unavailable.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Read: everything in the block is seen as of one moment. No writes."""

    def before_commit(
        self, name: Hashable, begin: Callable[[], Callable[[], None]]
    ) -> None:
        """Call ``begin`` at once, and what it returns when the outermost block ends,
        inside it; what that raises rolls back. A second call with the ``name`` does
        nothing. RuntimeError outside a transaction."""

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call once the outermost transaction is committed, without one at once. What
        ``call`` raises is logged."""


class Repository(Protocol[T]):
    """Records of one type. One is hidden once it, or the project it belongs to, was
    deleted. Within an organization no two projects, no two glossaries and no two
    memories have names that are the same when ``folded``: ``insert`` and ``update``
    raise NameExists. So does ``insert`` of an organization, among all."""

    def insert(self, record: T) -> None: ...

    def find(self, record_id: str, parent_id: str | None = None) -> T | None:
        """Return the record; with ``parent_id`` only if it belongs to that parent."""

    def update(self, record: T) -> None:
        """Write all fields but the id, the parents and when it was created."""

    def delete(self, record_id: str, at: Timestamp) -> None: ...

    def lock(self, record_id: str) -> T | None:
        """Return the record as it is now, or None; nobody else can lock it in this
        transaction."""


def get_record(
    store: Repository[T],
    reference: str,
    missing: type[NotFound],
    parent_id: str | None = None,
) -> T:
    """Return the record that an id or slug names. Raise ``missing`` if none does."""
    id_ = id_from_reference(reference)
    found = store.find(id_, parent_id) if id_ is not None else None
    if found is None:
        raise missing
    return found


class _Armed:
    """The place to die at, and how many passes of it are left."""

    place = ""
    passes_left = 0


def arm(where: str) -> None:
    """Die at this place from now on; ``import.after_batch#3``: at the third pass. Also
    by the variable ``LOCFRAMEWORK_CRASH_AT``."""
    _Armed.place, _, nth = where.partition("#")
    _Armed.passes_left = int(nth or "1")


def crash_point(place: str) -> None:
    """Die like ``kill -9`` here, if this is the place."""
    if place == _Armed.place:
        _Armed.passes_left -= 1
        if not _Armed.passes_left:
            os._exit(137)


arm(os.environ.get("LOCFRAMEWORK_CRASH_AT", ""))
