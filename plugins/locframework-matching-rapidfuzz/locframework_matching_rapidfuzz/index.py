"""Keeps the index of one memory up with the database, in this process and on disk."""

import logging
from collections.abc import Iterable
from threading import Lock, Thread
from uuid import UUID

from locframework.ports import Forgotten, SegmentChange, Segments

from .building import Arrays, arrays_of
from .folder import MemoryFolder, Stamp
from .view import Change, Part, View

log = logging.getLogger("locframework.matching")

BIG = 50_000  # texts that take about half a second to merge: more are merged aside
SIDE_SHARE = 10  # the side segment holds at most this part of all


class MemoryIndex:
    """One memory, for all threads of this process.

    On disk: a base segment, and one beside it for the changes of up to a tenth. In
    memory: the changes since, looked through one by one. Who finds more than ``tail``
    of those writes the next segment; others see it by the stamp of the folder.
    """

    def __init__(
        self, memory_id: str, folder: MemoryFolder, tail: int, big: int = BIG
    ) -> None:
        self._memory_id = memory_id
        self._folder = folder
        self._tail = tail
        self._big = big
        self._lock = Lock()
        self._view = View()
        self._stamp: Stamp | None = None
        self._merging: Thread | None = None

    def view(self, segments: Segments, revision: int, patience: float) -> View | None:
        """The memory at ``revision`` or later; None when that takes too long.

        The first call after much has changed does the work, the others wait.
        """
        if not self._lock.acquire(timeout=patience):
            return None
        try:
            self._take_over()
            if self._view.revision > revision:
                log.info("memory %s went back, its index is made anew", self._memory_id)
                self._start_again()
            if self._view.revision < revision:
                self._catch_up(segments, revision)
            return self._view
        finally:
            self._lock.release()

    def _take_over(self) -> None:
        """Use the segments that count, if others do than a moment ago."""
        stamp = self._folder.stamp()
        if stamp == self._stamp:
            return
        found = self._folder.segments()
        kept: dict[bytes, Change] = {}
        revision = found[-1].revision if found else 0
        if found and revision <= self._view.revision:
            # our changes are complete from an earlier segment on: the later ones stay
            tail = self._view.tail.items()
            kept = {id_: change for id_, change in tail if change[0] > revision}
            revision = self._view.revision
        self._view, self._stamp = View(found, kept, revision), stamp

    def _start_again(self) -> None:
        with self._folder.locked():
            self._folder.clear()
        self._view, self._stamp = View(), None

    def _catch_up(self, segments: Segments, revision: int) -> None:
        try:
            self._read_on(segments, revision)
        except Forgotten:
            log.info("memory %s was not asked for long", self._memory_id)
            self._start_again()
            self._read_on(segments, revision)
        if len(self._view.tail) > self._tail and not self._is_merging():
            self._merge()
            self._take_over()

    def _read_on(self, segments: Segments, revision: int) -> None:
        if self._view.parts:
            self._read(segments, revision)
        else:  # perhaps a million of them: one process reads, the others wait
            with self._folder.locked():
                self._take_over()
                self._read(segments, revision)
                self._write_first()
            self._take_over()

    def _read(self, segments: Segments, revision: int) -> None:
        after = self._view.revision
        changes = dict(map(_change, segments.changes(self._memory_id, after)))
        reached = max(revision, *(since for since, _ in changes.values()), 0)
        self._view = self._view.after(changes, reached)

    def _write_first(self) -> None:
        if not self._view.parts and len(self._view.tail) > self._tail:
            self._folder.add_base(_all_of(self._view), self._view.revision, None)

    def _merge(self) -> None:
        view = self._view
        base = view.parts[0][0]
        changed = sum(segment.count for segment, _ in view.parts[1:]) + len(view.tail)
        if changed * SIDE_SHARE <= view.size:
            with self._folder.locked():
                side = _changes_of(view)
                self._folder.add_side(side, view.revision, base.name)
        elif view.size <= self._big:
            self._write_base(view, base.name)
        else:
            given = (view, base.name)
            self._merging = Thread(target=self._write_base, args=given, daemon=True)
            self._merging.start()

    def _write_base(self, view: View, before: str) -> None:
        with self._folder.claimed() as is_ours:  # another process may be at it
            if not is_ours:
                return
            arrays = _all_of(view)
            with self._folder.locked():
                self._folder.add_base(arrays, view.revision, before)

    def _is_merging(self) -> bool:
        return self._merging is not None and self._merging.is_alive()


def _change(change: SegmentChange) -> tuple[bytes, Change]:
    return UUID(change.entry_id).bytes, (change.revision, change.text or None)


def _all_of(view: View) -> Arrays:
    ids, texts = _there(view, view.parts)
    return arrays_of(ids, texts)


def _changes_of(view: View) -> Arrays:
    """All but the base; and what is gone from the base and nowhere else."""
    sides = view.parts[1:]
    ids, texts = _there(view, sides)
    gone = {id_ for id_, (_, text) in view.tail.items() if text is None}
    for segment, _ in sides:
        gone.update(row.tobytes() for row in segment.removed)
    return arrays_of(ids, texts, gone.difference(ids))


def _there(view: View, parts: Iterable[Part]) -> tuple[list[bytes], list[str]]:
    ids: list[bytes] = []
    texts: list[str] = []
    for segment, gone in parts:
        docs = segment.there(gone).tolist()
        ids += map(segment.id_of, docs)
        texts += segment.texts(docs)
    for id_, (_, text) in view.tail.items():
        if text is not None:
            ids.append(id_)
            texts.append(text)
    return ids, texts
