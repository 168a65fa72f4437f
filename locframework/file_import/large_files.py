"""Files that may be large. Of one that comes in the beginning is judged in the request,
and the rest by a job; one that goes out lies on the disk. Memory grows with neither."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from typing import BinaryIO, cast

from msgspec import Struct

JUDGED_AT_ONCE = 2 * 1024 * 1024  # bytes; seconds, whatever is in them
IN_MEMORY = 4 * 1024 * 1024  # bytes of what goes out that are not put on the disk


class Enough(Exception):
    """As much of a file has been read as is judged in the request."""


def begin_of(file: BinaryIO) -> BinaryIO:
    """The file, whose reading raises Enough once 2 MiB have been read."""
    read = 0

    def count(size: int) -> None:
        nonlocal read
        if read >= JUDGED_AT_ONCE and size:
            raise Enough
        read += size

    return _watched(file, count)


def watched(file: BinaryIO, at_chunk: Callable[[], None]) -> BinaryIO:
    """The file; ``at_chunk`` is called with each read of it."""
    return _watched(file, lambda _: at_chunk())


class ExportedFile(Struct, frozen=True):
    """A file that was exported; whoever takes it closes it."""

    name: str
    content_type: str
    file: BinaryIO
    byte_size: int


def exported(name: str, content_type: str, parts: Iterable[bytes]) -> ExportedFile:
    """Write the parts to a file of our own, which is gone when it is closed."""
    file = _spool()
    for part in parts:
        file.write(part)
    size = file.tell()
    file.seek(0)
    return ExportedFile(name, content_type, file, size)


class _Watched:
    """A file; tells how many bytes each read gave."""

    def __init__(self, file: BinaryIO, tell: Callable[[int], None]) -> None:
        self._file = file
        self._tell = tell

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self._tell(len(content))
        return content


def _watched(file: BinaryIO, tell: Callable[[int], None]) -> BinaryIO:
    return cast("BinaryIO", _Watched(file, tell))


def _spool() -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))
