"""Arrays in a file, which are mapped into memory; and ids of entries as arrays."""

import mmap
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

MAGIC = b"locframework-tm\n"
HEAD = 4096  # bytes before the first array
ALIGNED = 64
CHECKED = 4 << 20  # bytes of the longest array whose checksum is compared

AnyArray = NDArray[Any]
Numbers = NDArray[np.int64]
Bits = NDArray[np.uint8]
Ids = NDArray[np.uint8]  # 16 bytes a row
_ID_LENGTH = 36
_DIGITS = [at for at in range(_ID_LENGTH) if at not in (8, 13, 18, 23)]


class Damaged(Exception):
    """The file is not what was written."""


class _Section(msgspec.Struct, frozen=True):
    dtype: str
    offset: int
    length: int  # in items
    checksum: int


class _Header(msgspec.Struct, frozen=True):
    format: int
    size: int  # of the whole file
    revision: int
    sections: dict[str, _Section]


class Stored(NamedTuple):
    """The arrays of a file, and their revision."""

    arrays: dict[str, AnyArray]
    revision: int


def write_arrays(
    path: Path, format_: int, arrays: Mapping[str, AnyArray], revision: int
) -> None:
    """Write arrays, durably; the file gets its name when it is complete.

    It becomes read-only: if a mapped file is cut short, the process ends by SIGBUS.
    """
    sections, at = {}, HEAD
    for name, array in arrays.items():
        checksum = zlib.crc32(np.ascontiguousarray(array).data)
        sections[name] = _Section(array.dtype.str, at, array.size, checksum)
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    header = msgspec.json.encode(_Header(format_, at, revision, sections))
    head = MAGIC + len(header).to_bytes(4, "little")
    head += zlib.crc32(header).to_bytes(4, "little") + header
    writing = path.with_name(f"{path.name}.{os.getpid()}.writing")
    with writing.open("wb") as file:
        file.write(head)
        for name, array in arrays.items():
            file.seek(sections[name].offset)
            file.write(np.ascontiguousarray(array).data)
        file.truncate(at)
        file.flush()
        mode = os.fstat(file.fileno()).st_mode
        os.fchmod(file.fileno(), stat.S_IMODE(mode) & ~0o222)
        os.fsync(file.fileno())
    writing.rename(path)


def read_arrays(path: Path, format_: int) -> Stored:
    """Map a file into memory. Raises Damaged, and OSError when it is not there.

    Only checksums of shorter arrays are compared: the longest of a million texts would
    take a second.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < HEAD:
            raise Damaged("it is too short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    begin = len(MAGIC) + 8
    length = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + 4], "little")
    checksum = int.from_bytes(mapped[len(MAGIC) + 4 : begin], "little")
    encoded = mapped[begin : begin + length]
    if mapped[: len(MAGIC)] != MAGIC or zlib.crc32(encoded) != checksum:
        raise Damaged("it has no valid header")
    header = msgspec.json.decode(encoded, type=_Header)
    if header.format != format_:
        raise Damaged(f"it is of format {header.format}, not {format_}")
    if header.size != len(mapped):
        raise Damaged(f"it has {len(mapped)} bytes of {header.size}")
    arrays: dict[str, AnyArray] = {}
    for name, part in header.sections.items():
        array = np.frombuffer(mapped, part.dtype, part.length, part.offset)
        if array.nbytes <= CHECKED and zlib.crc32(array.data) != part.checksum:
            raise Damaged(f"its {name} are not what was written")
        arrays[name] = array
    return Stored(arrays, header.revision)


def packed(ids: Iterable[bytes]) -> Ids:
    """Return ids as rows of 16 bytes."""
    return np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16)


def order_of(ids: Ids, *keys: AnyArray) -> NDArray[np.int64]:
    """Return the order of the rows: by ``keys``, the last one first, then by id."""
    halves = ids.view(">u8")
    return np.lexsort((halves[:, 1], halves[:, 0], *keys))


def id_bytes(id_: str) -> bytes:
    """Return an entry's id, a UUID, as 16 bytes."""
    return bytes.fromhex(id_.replace("-", ""))  # a third of what UUID(id_).bytes takes


def spelled(ids: Ids) -> list[str]:
    """Return entries' ids as text."""
    digits = np.frombuffer(ids.tobytes().hex().encode(), np.uint8)
    marked = np.full((len(ids), _ID_LENGTH), ord("-"), np.uint8)
    marked[:, _DIGITS] = digits.reshape(-1, 32)
    text = marked.tobytes().decode()  # str(UUID(…)) takes 4 to 14 times as long
    return [text[i : i + _ID_LENGTH] for i in range(0, len(text), _ID_LENGTH)]


def sortable(ids: Ids) -> NDArray[np.bytes_]:
    return np.ascontiguousarray(ids).view("S16").ravel()
