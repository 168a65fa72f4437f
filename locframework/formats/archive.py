"""Reads ZIP archives without trusting them, and writes them to the same bytes."""

import io
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from locframework.errors import Problem, UnreadableFile, truncate

from .records import SourceFile

# decisions 2.11
ENTRIES_MOST = 2_000
ENTRY_BYTES_MOST = 20 * 1024 * 1024
ALL_BYTES_MOST = 100 * 1024 * 1024
RATIO_MOST = 100
NAME_LENGTH_MOST = 1_000

_CHUNK = 64 * 1024
_SHOWN_PATH = 100
_CENTRAL = b"PK\x01\x02"  # begins every entry of the central directory
_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_ARCHIVES = (
    *_STARTS,
    b"PK\x07\x08",
    b"\x1f\x8b",
    b"BZh",
    b"7z\xbc\xaf\x27\x1c",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"Rar!\x1a\x07",
)
_BROKEN = (
    BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def is_archive(content: bytes) -> bool:
    """Whether the bytes begin as a ZIP archive does."""
    return content.startswith(_STARTS)


def unpacked_bytes(content: bytes) -> int:
    """Return how many bytes a ZIP archive says that its files have. Raises
    UnreadableFile for what is wrong with one before it is read."""
    with _opened(content) as (_, files):
        return sum(entry.file_size for entry in files.values())


def read_archive(content: bytes) -> Iterator[SourceFile]:
    """The files of a ZIP archive, by path; nothing touches the disk.

    Folders, hidden files and what macOS adds are left out. Every entry is checked
    before the first is read, and sizes are counted while reading, whatever the
    archive says of itself. Raises UnreadableFile for one that is over a limit, is
    broken, or holds a path that leads out, a link, a device, an encrypted entry or
    another archive (decisions 2.11).
    """
    with _opened(content) as (archive, files):
        total = 0
        for path in sorted(files):
            read = _read(archive, files[path], path, ALL_BYTES_MOST - total)
            total += len(read)
            yield SourceFile(path, read)


@contextmanager
def _opened(content: bytes) -> Iterator[tuple[ZipFile, dict[str, ZipInfo]]]:
    # Counted before zipfile makes an object of each: 50 MiB may hold a million.
    if content.count(_CENTRAL) > ENTRIES_MOST + 16:
        raise _refused("", f"holds more than {ENTRIES_MOST} entries")
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            yield archive, _check_members(archive.infolist())
    except _BROKEN as error:
        raise _refused("", f"is not a valid ZIP archive ({error})") from None


def write_archive(files: Sequence[SourceFile]) -> bytes:
    """A ZIP archive of these files; the same files give the same bytes."""
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for file in sorted(files, key=lambda file: file.name):
            info = ZipInfo(file.name, _LONG_AGO)
            info.create_system = 3  # Unix, on every machine
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, file.content, compresslevel=6)
    return target.getvalue()


def _check_members(entries: Sequence[ZipInfo]) -> dict[str, ZipInfo]:
    """The entries to read, by path. Checks all of them, also those left out."""
    if len(entries) > ENTRIES_MOST:
        raise _refused("", f"holds more than {ENTRIES_MOST} entries")
    files: dict[str, ZipInfo] = {}
    for entry in entries:
        path = _check_member(entry)
        if path.endswith("/") or _is_noise(path):
            continue
        if path in files:
            raise _refused(path, "is twice in the archive")
        files[path] = entry
    if sum(entry.file_size for entry in files.values()) > ALL_BYTES_MOST:
        raise _refused("", f"unpacks to more than {ALL_BYTES_MOST} bytes")
    return files


def _check_member(entry: ZipInfo) -> str:
    """Return the path of an entry, unless it has to be refused."""
    path = entry.orig_filename.replace("\\", "/")
    if not 0 < len(path) <= NAME_LENGTH_MOST:
        raise _refused(path, f"must have a name of 1 to {NAME_LENGTH_MOST} characters")
    if _CONTROL.search(path):
        raise _refused(path, "has a control character in its name")
    if path.startswith("/") or path[1:2] == ":":
        raise _refused(path, "has an absolute path")
    if ".." in path.split("/"):
        raise _refused(path, "has a path that leads out of the archive")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(path, "is a link or a device")
    if entry.flag_bits & _ENCRYPTED:
        raise _refused(path, "is encrypted")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _refused(path, "is compressed by a method other than deflate")
    if entry.file_size > ENTRY_BYTES_MOST:
        raise _refused(path, f"unpacks to more than {ENTRY_BYTES_MOST} bytes")
    return path


def _is_noise(path: str) -> bool:
    parts = path.split("/")
    return parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts)


def _read(archive: ZipFile, entry: ZipInfo, path: str, left: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    with archive.open(entry) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > ENTRY_BYTES_MOST:
                raise _refused(path, f"unpacks to more than {ENTRY_BYTES_MOST} bytes")
            if size > left:
                raise _refused("", f"unpacks to more than {ALL_BYTES_MOST} bytes")
            if size > RATIO_MOST * max(entry.compress_size, 1):
                message = f"unpacks to more than {RATIO_MOST} times its size"
                raise _refused(path, message)
            chunks.append(chunk)
    content = b"".join(chunks)
    if content.startswith(_ARCHIVES):
        raise _refused(path, "is itself an archive")
    return content


def _refused(path: str, reason: str) -> UnreadableFile:
    short = path if len(path) <= _SHOWN_PATH else f"…{path[-_SHOWN_PATH:]}"
    where = short or "the archive"
    message = truncate(f"{where} {reason}")
    return UnreadableFile(message, [Problem(where, "archive", message)])
