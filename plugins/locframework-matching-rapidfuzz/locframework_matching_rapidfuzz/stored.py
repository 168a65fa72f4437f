"""Writes the arrays of a segment to a file, and maps them into memory again."""

import mmap
import os
import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

MAGIC = b"locframework-tm\n"
HEAD = 4096  # bytes before the first array
ALIGNED = 64
CHECKED = 4 << 20  # bytes of the longest array whose checksum is asked at the opening

AnyArray = NDArray[Any]


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
    """The arrays of a file, mapped into memory, and the revision they tell of."""

    arrays: dict[str, AnyArray]
    revision: int


def write_arrays(
    path: Path, format_: int, arrays: Mapping[str, AnyArray], revision: int
) -> None:
    """Write arrays, durably; the file gets its name when it is whole.

    Nobody may write to it any more: a process that has mapped a file which is cut
    short ends by SIGBUS, and cannot be kept from it.
    """
    sections, at = {}, HEAD
    for name, array in arrays.items():
        checksum = zlib.crc32(np.ascontiguousarray(array).data)
        sections[name] = _Section(array.dtype.str, at, array.size, checksum)
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    header = msgspec.json.encode(_Header(format_, at, revision, sections))
    told = MAGIC + len(header).to_bytes(4, "little")
    told += zlib.crc32(header).to_bytes(4, "little") + header
    writing = path.with_name(f"{path.name}.{os.getpid()}.writing")
    with writing.open("wb") as file:
        file.write(told)
        for name, array in arrays.items():
            file.seek(sections[name].offset)
            file.write(np.ascontiguousarray(array).data)
        file.truncate(at)
        file.flush()
        mode = os.fstat(file.fileno()).st_mode
        os.fchmod(file.fileno(), stat.S_IMODE(mode) & ~0o222)
        os.fsync(file.fileno())
    writing.rename(path)


def read_arrays(path: Path, format_: int, *, whole: bool = False) -> Stored:
    """Map a file into memory. Raises Damaged, and OSError when it is not there.

    The checksums of its shorter arrays are compared, ``whole``: those of all. That
    reads the file, which at a million texts takes a second.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < HEAD:
            raise Damaged("it is too short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = _read_header(mapped, format_)
    if header.size != len(mapped):
        raise Damaged(f"it has {len(mapped)} bytes of {header.size}")
    arrays: dict[str, AnyArray] = {}
    for name, part in header.sections.items():
        array = np.frombuffer(mapped, part.dtype, part.length, part.offset)
        is_checked = whole or array.nbytes <= CHECKED
        if is_checked and zlib.crc32(array.data) != part.checksum:
            raise Damaged(f"its {name} are not what was written")
        arrays[name] = array
    return Stored(arrays, header.revision)


def _read_header(mapped: mmap.mmap, format_: int) -> _Header:
    begin = len(MAGIC) + 8
    length = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + 4], "little")
    checksum = int.from_bytes(mapped[len(MAGIC) + 4 : begin], "little")
    told = mapped[begin : begin + length]
    if mapped[: len(MAGIC)] != MAGIC or zlib.crc32(told) != checksum:
        raise Damaged("its head is not one of ours")
    header = msgspec.json.decode(told, type=_Header)
    if header.format != format_:
        raise Damaged(f"it is of format {header.format}, not {format_}")
    return header
