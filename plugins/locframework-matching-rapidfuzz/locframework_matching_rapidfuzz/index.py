"""Keeps the index of one memory up with the database, in this process and on disk."""

import logging
from collections.abc import Iterator
from threading import Lock, Thread
from typing import Any, Generic, Protocol, TypeVar

from locframework.ports import Forgotten

from .folder import MemoryFolder, Stamp
from .stored import Damaged
from .view import Change, View

log = logging.getLogger("locframework.matching")

BIG = 50_000  # entries that take about half a second to merge: more are merged aside
SIDE_SHARE = 10  # the side segment holds at most this part of all

V = TypeVar("V", bound=View[Any, Any])


class Source(Protocol):
    """What the database says of one memory."""

    def revision(self) -> int:
        """Where it is now."""
        ...

    def is_in_block(self) -> bool:
        """Whether this thread reads what may not be committed, or an older moment."""
        ...

    def changes(self, after: int) -> Iterator[tuple[bytes, Change[Any]]]:
        """By entry id, what changed after that revision."""
        ...


class MemoryIndex(Generic[V]):
    """One memory, for all threads of this process.

    On disk: a base segment, and one beside it for the changes of up to a tenth. In
    memory: the changes since. Who finds more than ``tail`` of those writes the next
    segment; others see it by the stamp of the folder.
    """

    def __init__(
        self,
        name: str,
        folder: MemoryFolder[Any],
        view_type: type[V],
        tail: int,
        big: int = BIG,
    ) -> None:
        self._name = name
        self._folder = folder
        self._view_type = view_type
        self._tail = tail
        self._big = big
        self._lock = Lock()
        self._view = view_type()
        self._stamp: Stamp | None = None
        self._merging: Thread | None = None

    def view(self, source: Source, revision: int, patience: float) -> V | None:
        """The memory at ``revision`` or later; None when that takes too long.

        The first call after much has changed does the work, the others wait. What a
        thread reads inside a transaction or snapshot of its own is for it alone.
        """
        if not self._lock.acquire(timeout=patience):
            return None
        try:
            self._take_over()
            if source.is_in_block():
                return self._aside(source, revision)
            if self._view.revision > revision:  # by another thread, or it went back
                revision = source.revision()
            if self._view.revision > revision:
                log.info(
                    "%s went back to an earlier state, and is built anew", self._name
                )
                self._start_again()
            if self._view.revision < revision:
                self._catch_up(source, revision)
            return self._view
        finally:
            self._lock.release()

    def _take_over(self) -> None:
        """Use the segments that count, if others do than a moment ago."""
        stamp = self._folder.stamp()
        if stamp == self._stamp:
            return
        found = self._folder.segments()
        kept: dict[bytes, Change[Any]] = {}
        revision = found[-1].revision if found else 0
        parts = self._view.parts
        begin = parts[-1].entries.revision if parts else 0
        if found and begin <= revision <= self._view.revision:
            # our changes are complete from an earlier segment on: the later ones stay
            tail = self._view.tail.items()
            kept = {id_: change for id_, change in tail if change[0] > revision}
            revision = self._view.revision
        self._view, self._stamp = self._view_type(found, kept, revision), stamp

    def _start_again(self) -> None:
        with self._folder.locked():
            self._folder.clear()
        self._view, self._stamp = self._view_type(), None

    def _catch_up(self, source: Source, revision: int) -> None:
        try:
            self._read_on(source, revision)
        except Forgotten:
            log.info("%s was not used for long, and is built anew", self._name)
            self._start_again()
            self._read_on(source, revision)
        if len(self._view.tail) > self._tail and not self._is_merging():
            self._merge()
            self._take_over()
            self._read_on(source, revision)  # nothing, but where damage was found

    def _read_on(self, source: Source, revision: int) -> None:
        if self._view.parts or self._view.revision >= revision:
            self._view = _read(self._view, source, revision)
        else:  # perhaps a million of them: one process reads, the others wait
            with self._folder.locked():
                self._take_over()
                self._view = _read(self._view, source, revision)
                self._write_first()
            self._take_over()

    def _aside(self, source: Source, revision: int) -> V:
        """The same for one thread alone."""
        try:
            return _read(self._view, source, revision)
        except Forgotten:
            return _read(self._view_type(), source, revision)

    def _write_first(self) -> None:
        if not self._view.parts and len(self._view.tail) > self._tail:
            self._folder.add_base(_all_of(self._view), None)

    def _merge(self) -> None:
        view = self._view
        base = view.parts[0].entries
        changed = sum(part.entries.count for part in view.parts[1:]) + len(view.tail)
        if changed * SIDE_SHARE <= view.size:
            with self._folder.locked():
                self._folder.add_side(_side_of(view), base.name)
        elif view.size <= self._big:
            self._write_base(view, base.name)
        else:
            given = (view, base.name)
            self._merging = Thread(target=self._write_base, args=given, daemon=True)
            self._merging.start()

    def _write_base(self, view: V, before: str) -> None:
        with self._folder.claimed() as is_ours:  # another process may be at it
            if not is_ours:
                return
            try:
                self._folder.check()  # it is read as a whole here anyway
            except Damaged as error:
                log.warning("%s is built anew: %s", self._name, error)
                with self._folder.locked():
                    self._folder.clear()
                return
            base = _all_of(view)
            with self._folder.locked():
                self._folder.add_base(base, before)

    def _is_merging(self) -> bool:
        return self._merging is not None and self._merging.is_alive()


def _read(view: V, source: Source, revision: int) -> V:
    """The view with all that it does not know yet. Raises Forgotten."""
    if view.revision >= revision:
        return view
    changes = dict(source.changes(view.revision))
    reached = max(revision, *(since for since, _ in changes.values()), 0)
    return view.after(changes, reached)


def _all_of(view: View[Any, Any]) -> Any:
    return view.segment_of(*view.there(view.parts))


def _side_of(view: View[Any, Any]) -> Any:
    """All but the base; and what is gone from the base and nowhere else."""
    ids, told = view.there(view.parts[1:])
    return view.segment_of(ids, told, view.removed_of_base().difference(ids))
