"""Files of any size: read from the upload and written to the disk, piece by piece."""

import tempfile
from collections.abc import Callable, Iterable
from typing import BinaryIO, cast

from msgspec import Struct

from locframework.http.records import Raw

CHECKED_IN_REQUEST = 2 * 1024 * 1024  # bytes; the job checks what is beyond
IN_MEMORY = 4 * 1024 * 1024  # bytes of an exported file that are not put on the disk


class MoreToCheck(Exception):
    """The part of a file that is checked in the request has been read."""


class ExportedFile(Struct, frozen=True):
    """A file that was exported; the caller closes it."""

    name: str
    content_type: str
    file: BinaryIO
    byte_size: int

    def response(self) -> Raw:
        """Return the HTTP response that sends the file."""
        headers = {
            "Content-Disposition": f'attachment; filename="{self.name}"',
            "Content-Length": str(self.byte_size),
        }
        return Raw(b"", self.content_type, headers=headers, file=self.file)


def exported(name: str, content_type: str, parts: Iterable[bytes]) -> ExportedFile:
    """Write the parts to a temporary file, which is deleted when it is closed."""
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115
    for part in parts:
        file.write(part)
    size = file.tell()
    file.seek(0)
    return ExportedFile(name, content_type, file, size)


def beginning_of(file: BinaryIO) -> BinaryIO:
    """Return a view of the file that raises MoreToCheck after 2 MiB."""
    read = 0

    def count(size: int) -> None:
        nonlocal read
        if read >= CHECKED_IN_REQUEST and size:
            raise MoreToCheck
        read += size

    return observed(file, count)


def observed(file: BinaryIO, on_read: Callable[[int], None]) -> BinaryIO:
    """Return a view of the file that reports the size of each read."""
    return cast("BinaryIO", _Observed(file, on_read))


class _Observed:
    def __init__(self, file: BinaryIO, on_read: Callable[[int], None]) -> None:
        self._file = file
        self._on_read = on_read

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self._on_read(len(content))
        return content
