"""The files of one memory: segments, which of them count, and one writer at a time."""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Generic

import msgspec

from .entries import S
from .stored import Damaged

log = logging.getLogger("locframework.matching")

Stamp = tuple[int, int]
_UNREADABLE = (
    Damaged,
    IsADirectoryError,
    msgspec.MsgspecError,
    KeyError,
    ValueError,
)


class MemoryFolder(Generic[S]):
    """``current.json`` lists the segments that count: a base, perhaps a side.

    It is replaced as a whole; the files that it lists are never changed. ``open_``
    maps one of them into memory, and raises Damaged; ``whole``: looks at all of it.
    """

    def __init__(self, path: Path, open_: Callable[..., S]) -> None:
        self._path = path
        self._open = open_
        self._current = path / "current.json"

    def stamp(self) -> Stamp | None:
        """What changes when other segments count; None when there are none."""
        try:
            found = self._current.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino

    def segments(self) -> list[S]:
        """The segments that count, the oldest first; none when they are damaged."""
        for _ in range(10):  # another process may replace them meanwhile
            before = self.stamp()
            try:
                names = msgspec.json.decode(self._current.read_bytes(), type=list[str])
                return [self._open(self._path / name) for name in names]
            except FileNotFoundError:
                if self.stamp() == before:
                    return []
            except _UNREADABLE as error:
                if self.stamp() == before:
                    log.warning("%s is built anew: %s", self._path, error)
                    return []
        return []

    def add_base(self, segment: S, before: str | None) -> None:
        """Write all that there was at its revision. Only when locked.

        Nothing happens when another base counts by now than ``before``; None: what
        there is cannot be read. A later side stays: it tells all that changed since
        the base before.
        """
        names = self._names() if before is not None else []
        if names[:1] in ([], [before]):
            sides = _later(names[1:], segment.revision)
            self._replace([self._write(segment), *sides])

    def add_side(self, segment: S, base: str) -> None:
        """Write what changed since the base. Only when locked.

        Nothing happens when it would lose something: another base, a later side.
        """
        names = self._names()
        if names[:1] == [base] and not _later(names[1:], segment.revision):
            self._replace([base, self._write(segment)])

    def check(self) -> None:
        """Read the segments that count as a whole. Raises Damaged."""
        for name in self._names():
            with suppress(FileNotFoundError):  # another process may replace them
                self._open(self._path / name, whole=True)

    def clear(self) -> None:
        """Let nothing count. Only when locked."""
        self._replace([])

    def _write(self, segment: S) -> str:
        name = f"{segment.revision:016}-{os.urandom(4).hex()}.segment"
        segment.write(self._path / name)
        return name

    def _names(self) -> list[str]:
        try:
            return msgspec.json.decode(self._current.read_bytes(), type=list[str])
        except (FileNotFoundError, IsADirectoryError, msgspec.MsgspecError):
            return []

    def _replace(self, names: list[str]) -> None:
        writing = self._path / f"current.{os.getpid()}.writing"
        with writing.open("wb") as file:
            file.write(msgspec.json.encode(names))
            file.flush()
            os.fsync(file.fileno())
        if self._current.is_dir():  # somebody's mistake; one with files in it stays
            self._current.rmdir()
        writing.rename(self._current)
        folder = os.open(self._path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        for file_ in self._path.iterdir():  # mapped ones stay readable
            if file_.suffix in (".segment", ".writing") and file_.name not in names:
                file_.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the only right to write here, among all processes and threads."""
        self._path.mkdir(parents=True, exist_ok=True)
        with (self._path / "lock").open("ab") as file:
            _lock(file)
            yield

    @contextmanager
    def claimed(self) -> Iterator[bool]:
        """Whether we are the only one, among all processes, who merges here."""
        with (self._path / "merging").open("ab") as file:
            try:
                _lock(file, fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def remove(self) -> None:
        """Remove every file."""
        with self.locked():
            for file in self._path.iterdir():
                file.unlink(missing_ok=True)
        self._path.rmdir()


def require_usable(folder: Path) -> None:
    """Raise OSError where no index could be kept: in the folder, or the one above
    that it would be made in, or in those of memories. Leaves nothing behind."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    for each in (there, *(folder.glob("*/") if there == folder else ())):
        with NamedTemporaryFile(dir=each, prefix="try.", suffix=".writing") as file:
            _lock(file)


def _lock(file: IO[bytes], how: int = 0) -> None:
    """Lock the file until it is closed. OSError names it, as the system's does not."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | how)
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from None


def _later(names: list[str], revision: int) -> list[str]:
    """Those of segments that tell more than the revision."""
    return [name for name in names if int(name.split("-")[0]) > revision]
