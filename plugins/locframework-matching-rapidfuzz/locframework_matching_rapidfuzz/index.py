"""Indexes of memories: immutable segments in files, and later changes in memory.

A base segment has all entries of a memory at a revision. A side segment has the changes
since, up to a tenth of all. Changes after that are in memory (the tail).
"""

import fcntl
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock, Thread
from typing import IO, Annotated, NamedTuple, Self
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from locframework.ports import Forgotten, Segments

from .arrays import Bits, Damaged, id_bytes
from .segments import Segment, arrays_of

log = logging.getLogger("locframework.matching")

# a NUL would pass as text and fail in every system call
FolderName = Annotated[str, Meta(min_length=1, pattern=r"^[^\0]+$")]


class MatchingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the indexes are, and how much of the machine a request may take."""

    folder: FolderName = "data/matching"  # may be removed at any time: it is made anew
    threads: Annotated[int, Meta(ge=0, le=64)] = 0  # for one request; 0: one per core
    patience_seconds: Annotated[int, Meta(ge=1, le=600)] = 10  # for another's building
    tail: Annotated[int, Meta(ge=1)] = 2_000  # changes kept in memory, then on disk
    compiled: bool = True  # False: numpy and rapidfuzz only, even with a kernel there


BIG = 50_000  # entries that take about half a second to merge: more are merged aside
SIDE_SHARE = 10  # the side segment holds at most this part of all

Change = tuple[int, str | None]
"""Since which revision, and the text of the entry; None: it was removed."""


class Part(NamedTuple):
    """A segment, and which of its entries are out of date."""

    segment: Segment
    gone: Bits


class View:
    """Immutable: the entries of a memory at a revision.

    ``segments`` are the oldest first. An entry is taken from ``tail`` (by entry id), or
    else from the last segment that has it.
    """

    def __init__(
        self,
        segments: Iterable[Segment] = (),
        tail: Mapping[bytes, Change] | None = None,
        revision: int = 0,
    ) -> None:
        self.revision = revision
        self.tail: Mapping[bytes, Change] = tail or {}
        self.parts: list[Part] = []
        for segment in segments:
            self._mark_gone([segment.ids.tobytes(), segment.removed.tobytes()])
            self.parts.append(Part(segment, segment.none_gone()))
        self._mark_gone(self.tail)

    def after(self, changes: Mapping[bytes, Change], revision: int) -> Self:
        """Return the view with these changes, which lead to the revision."""
        later = type(self)((), {**self.tail, **changes}, revision)
        later.parts = list(self.parts)
        later._mark_gone(changes)
        return later

    def _mark_gone(self, ids: Iterable[bytes]) -> None:
        ids = list(ids)
        self.parts = [Part(one, one.with_gone(gone, ids)) for one, gone in self.parts]

    @property
    def changed(self) -> int:
        """The number of entries that are not in the base."""
        return sum(part.segment.count for part in self.parts[1:]) + len(self.tail)

    @property
    def size(self) -> int:
        """The number of entries, with those that are gone."""
        return sum(part.segment.count for part in self.parts[:1]) + self.changed

    @cached_property
    def all_parts(self) -> list[Part]:
        """All entries; those of the tail as a segment."""
        ids, texts = self._present(())
        if not ids:
            return self.parts
        recent = self.segment_of(ids, texts)
        return [*self.parts, Part(recent, recent.none_gone())]

    def base(self) -> Segment:
        """Return a segment of all entries."""
        return self.segment_of(*self._present(self.parts))

    def side(self) -> Segment:
        """Return a segment of all but the base, with what was removed from the base."""
        ids, texts = self._present(self.parts[1:])
        removed = {id_ for id_, (_, content) in self.tail.items() if content is None}
        for segment, _ in self.parts[1:]:
            removed.update(row.tobytes() for row in segment.removed)
        return self.segment_of(ids, texts, removed.difference(ids))

    def _present(self, parts: Iterable[Part]) -> tuple[list[bytes], list[str]]:
        ids: list[bytes] = []
        texts: list[str] = []
        for segment, gone in parts:
            docs = segment.present(gone).tolist()
            ids += map(segment.id_of, docs)
            texts += segment.texts_of(docs)
        for id_, (_, content) in self.tail.items():
            if content is not None:
                ids.append(id_)
                texts.append(content)
        return ids, texts

    def segment_of(
        self, ids: Sequence[bytes], texts: Sequence[str], removed: Iterable[bytes] = ()
    ) -> Segment:
        """Return the entries as a segment in memory."""
        return Segment(arrays_of(ids, texts, removed), self.revision)


class MemoryFolder:
    """The files of one memory. ``current.json`` lists its segments: base, then side.

    It is replaced as a whole, and segments never change. All that writes is called in
    ``locked``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._current = path / "current.json"

    def stamp(self) -> tuple[int, int] | None:
        """Return what changes with the list of segments; None without one."""
        try:
            found = self._current.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino

    def segments(self) -> list[Segment]:
        """Return the segments, the oldest first; none if they are damaged."""
        for _ in range(10):  # another process may replace them meanwhile
            before = self.stamp()
            try:
                names = msgspec.json.decode(self._current.read_bytes(), type=list[str])
                return [Segment.open(self.path / name) for name in names]
            except FileNotFoundError:
                if self.stamp() == before:
                    return []
            except (Damaged, msgspec.MsgspecError, KeyError, ValueError) as error:
                if self.stamp() == before:
                    log.warning("%s is built anew: %s", self.path, error)
                    return []
        return []

    def add_base(self, segment: Segment, before: str | None) -> None:
        """Write a base, unless another has replaced ``before`` meanwhile.

        None: no segment can be read. A later side stays: it has all changes since the
        base before.
        """
        names = self._names() if before is not None else []
        if names[:1] in ([], [before]):
            sides = _later(names[1:], segment.revision)
            self._replace([self._write(segment), *sides])

    def add_side(self, segment: Segment, base: str) -> None:
        """Write a side, unless there is another base or a later side."""
        names = self._names()
        if names[:1] == [base] and not _later(names[1:], segment.revision):
            self._replace([base, self._write(segment)])

    def clear(self) -> None:
        """Remove all segments."""
        self._replace([])

    def _write(self, segment: Segment) -> str:
        name = f"{segment.revision:016}-{os.urandom(4).hex()}.segment"
        segment.write(self.path / name)
        return name

    def _names(self) -> list[str]:
        try:
            return msgspec.json.decode(self._current.read_bytes(), type=list[str])
        except (FileNotFoundError, msgspec.MsgspecError):
            return []

    def _replace(self, names: list[str]) -> None:
        writing = self.path / f"current.{os.getpid()}.writing"
        with writing.open("wb") as file:
            file.write(msgspec.json.encode(names))
            file.flush()
            os.fsync(file.fileno())
        writing.rename(self._current)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        for file_ in self.path.iterdir():  # mapped ones stay readable
            if file_.suffix in (".segment", ".writing") and file_.name not in names:
                file_.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other writers, in all processes and threads."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("ab") as file:
            _lock(file)
            yield

    @contextmanager
    def claimed(self) -> Iterator[bool]:
        """Yield whether no other process merges here."""
        with (self.path / "merging").open("ab") as file:
            try:
                _lock(file, fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def remove(self) -> None:
        """Remove every file."""
        with self.locked():
            for file in self.path.iterdir():
                file.unlink(missing_ok=True)
        self.path.rmdir()


def require_usable(folder: Path) -> None:
    """Raise OSError if no index can be kept in the folder, or in those of memories.

    It may have to be created in the folder above. Leaves nothing behind.
    """
    there = next(each for each in (folder, *folder.parents) if each.exists())
    for each in (there, *(folder.glob("*/") if there == folder else ())):
        with NamedTemporaryFile(dir=each, prefix="try.", suffix=".writing") as file:
            _lock(file)


def _lock(file: IO[bytes], how: int = 0) -> None:
    """Lock the file until it is closed. An OSError names it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | how)
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from None


def _later(names: list[str], revision: int) -> list[str]:
    return [name for name in names if int(name.split("-")[0]) > revision]


class Source(NamedTuple):
    """One memory in the database."""

    feed: Segments
    memory_id: str

    def revision(self) -> int:
        """Return the present revision."""
        return self.feed.revisions([self.memory_id]).get(self.memory_id, 0)

    def changes(self, after: int) -> dict[bytes, Change]:
        """Return what changed after a revision, by entry id. Raises Forgotten."""
        return {
            id_bytes(each.entry_id): (each.revision, each.text or None)
            for each in self.feed.changes(self.memory_id, after)
        }


class MemoryIndex:
    """The index of one memory, for all threads of this process."""

    def __init__(self, folder: MemoryFolder, tail: int) -> None:
        """``tail``: so many changes stay in memory; with more, a segment is written."""
        self._folder = folder
        self._tail = tail
        self._lock = Lock()
        self._view = View()
        self._stamp: tuple[int, int] | None = None
        self._merging: Thread | None = None

    def view(self, source: Source, revision: int, patience: float) -> View | None:
        """Return the memory at ``revision`` or later; None if that takes too long.

        The first call after many changes does the work, others wait. What a thread
        reads inside a transaction or snapshot is not kept.
        """
        if not self._lock.acquire(timeout=patience):
            return None
        try:
            self._use_new_segments()
            if source.feed.is_in_block():
                return self._temporary_view(source, revision)
            if self._view.revision > revision:  # by another thread, or it went back
                revision = source.revision()
            if self._view.revision > revision:
                log.info("%s is of a later state, and is built anew", self._folder.path)
                self._start_again()
            if self._view.revision < revision:
                self._catch_up(source, revision)
            return self._view
        finally:
            self._lock.release()

    def _use_new_segments(self) -> None:
        stamp = self._folder.stamp()
        if stamp == self._stamp:
            return
        found = self._folder.segments()
        revision = found[-1].revision if found else 0
        tail: dict[bytes, Change] = {}
        parts = self._view.parts
        begin = parts[-1].segment.revision if parts else 0
        if found and begin <= revision <= self._view.revision:
            # the tail is complete since an earlier segment: later changes stay
            changes = self._view.tail.items()
            tail = {id_: change for id_, change in changes if change[0] > revision}
            revision = self._view.revision
        self._view, self._stamp = View(found, tail, revision), stamp

    def _start_again(self) -> None:
        with self._folder.locked():
            self._folder.clear()
        self._view, self._stamp = View(), None

    def _catch_up(self, source: Source, revision: int) -> None:
        try:
            self._read_on(source, revision)
        except Forgotten:
            log.info("%s was not used for long, and is built anew", self._folder.path)
            self._start_again()
            self._read_on(source, revision)
        is_merging = self._merging is not None and self._merging.is_alive()
        if len(self._view.tail) > self._tail and not is_merging:
            self._merge()
            self._use_new_segments()
            self._read_on(source, revision)  # if another process wrote an older base

    def _read_on(self, source: Source, revision: int) -> None:
        if self._view.parts or self._view.revision >= revision:
            self._view = _read(self._view, source, revision)
            return
        # perhaps a million entries: one process reads them, the others wait
        with self._folder.locked():
            self._use_new_segments()
            self._view = _read(self._view, source, revision)
            if not self._view.parts and len(self._view.tail) > self._tail:
                self._folder.add_base(self._view.base(), None)
        self._use_new_segments()

    def _temporary_view(self, source: Source, revision: int) -> View:
        try:
            return _read(self._view, source, revision)
        except Forgotten:
            return _read(View(), source, revision)

    def _merge(self) -> None:
        view = self._view
        base = view.parts[0].segment.name
        if view.changed * SIDE_SHARE <= view.size:
            with self._folder.locked():
                self._folder.add_side(view.side(), base)
        elif view.size <= BIG:
            self._write_base(view, base)
        else:
            given = (view, base)
            self._merging = Thread(target=self._write_base, args=given, daemon=True)
            self._merging.start()

    def _write_base(self, view: View, before: str) -> None:
        with self._folder.claimed() as is_ours:  # another process may be at it
            if is_ours:
                base = view.base()
                with self._folder.locked():
                    self._folder.add_base(base, before)


def _read(view: View, source: Source, revision: int) -> View:
    if view.revision >= revision:
        return view
    changes = source.changes(view.revision)
    reached = max(revision, *(since for since, _ in changes.values()), 0)
    return view.after(changes, reached)


class Indexes:
    """The indexes of all memories below one folder; each is opened when first used."""

    def __init__(self, folder: Path, tail: int) -> None:
        self._folder = Path(os.path.abspath(folder))
        self._tail = tail
        self._indexes: dict[str, MemoryIndex] = {}
        self._lock = Lock()

    def view(self, source: Source, revision: int, patience: float) -> View | None:
        """Return the memory at the revision or later; None if that takes too long.

        Raises OSError when the folder cannot be used.
        """
        memory_id = source.memory_id
        with self._lock:
            index = self._indexes.get(memory_id)
            if index is None:
                files = self._files_of(memory_id)
                index = MemoryIndex(files, self._tail)
                self._indexes[memory_id] = index
        try:
            return index.view(source, revision, patience)
        except OSError as error:
            path = self._files_of(memory_id).path
            log.error("the index in %s cannot be used: %s", path, error)
            raise

    def forget(self, memory_id: str) -> None:
        """Remove the index of the memory."""
        with self._lock:
            self._indexes.pop(memory_id, None)
        try:
            self._files_of(memory_id).remove()
        except OSError as error:
            log.warning(
                "the index of memory %s could not be removed: %s", memory_id, error
            )

    def _files_of(self, memory_id: str) -> MemoryFolder:
        path = self._folder / str(UUID(memory_id))  # nothing but an id is a folder
        return MemoryFolder(path)
