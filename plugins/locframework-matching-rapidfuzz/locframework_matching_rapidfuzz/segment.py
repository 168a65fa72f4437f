"""One immutable, memory-mapped file of texts, sorted by length and indexed by pairs."""

import mmap
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from .building import BLOCK, Arrays
from .tokens import TOKENS, Codes

FORMAT = 1
MAGIC = b"locframework-tm\n"
ALIGNED = 64
Numbers = NDArray[np.int64]
Bits = NDArray[np.uint8]


class Damaged(Exception):
    """The file is not what was written."""


class _Section(msgspec.Struct, frozen=True):
    dtype: str
    offset: int
    length: int  # in items


class _Header(msgspec.Struct, frozen=True):
    format: int
    size: int  # of the whole file
    revision: int
    sections: dict[str, _Section]


class Segment:
    """Texts of a memory up to a revision; ``name`` is that of the file."""

    def __init__(self, arrays: Arrays, revision: int, name: str = "") -> None:
        self.revision, self.name = revision, name
        self.ids = arrays.ids.reshape(-1, 16)
        self.removed = arrays.removed.reshape(-1, 16)
        self._by_id = arrays.by_id
        self.alphabet = arrays.alphabet
        self.codes = arrays.codes
        self.offsets = arrays.offsets
        self.lists = arrays.lists
        self.ends = arrays.ends
        self.bases = arrays.bases
        self._check()
        self.count = len(self.ids)
        lengths = np.diff(self.offsets).astype(np.int64)
        self.longest = int(lengths[-1]) if self.count else 0
        every = np.arange(self.longest + 2)
        self.starts = np.searchsorted(lengths, every).astype(np.uint64)

    def _check(self) -> None:
        """Raise Damaged unless every offset stays inside: the kernel trusts them."""
        blocks = -(-len(self.ids) // BLOCK)
        ends = self.ends.reshape(-1, TOKENS + 1)
        lengths = np.diff(self.offsets.astype(np.int64))
        is_whole = (
            len(self.offsets) == len(self.ids) + 1
            and len(self._by_id) == len(self.ids)
            and bool((self._by_id < max(len(self.ids), 1)).all())
            and len(self.bases) == blocks + 1
            and len(ends) == blocks
            and self.offsets[0] == 0
            and self.offsets[-1] == len(self.codes)
            and bool((lengths >= 0).all())
            and bool((np.diff(lengths) >= 0).all())
            and self.bases[0] == 0
            and self.bases[-1] == len(self.lists)
            and not ends[:, 0].any()
            and bool((ends[:, :-1] <= ends[:, 1:]).all())
            and bool((ends[:, -1] == np.diff(self.bases)).all())
        )
        if not is_whole:
            raise Damaged("its offsets do not fit")

    def coded(self, text: str) -> Codes:
        """The text in this segment's numbers; 0 for a character that it has not."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        places = np.searchsorted(self.alphabet, points)
        places[places == len(self.alphabet)] = 0
        known = self.alphabet[places] == points if len(self.alphabet) else places < 0
        codes = np.where(known, places + 1, 0)
        is_narrow = self.codes.dtype == np.uint16
        return codes.astype(np.uint16) if is_narrow else codes.astype(np.uint32)

    def text(self, doc: int) -> str:
        """The text with this number."""
        codes = self.codes[int(self.offsets[doc]) : int(self.offsets[doc + 1])]
        return self.alphabet[codes - 1].tobytes().decode("utf-32-le", "surrogatepass")

    def texts(self, docs: Iterable[int]) -> list[str]:
        """The texts with these numbers."""
        return [self.text(doc) for doc in docs]

    def none_gone(self) -> Bits:
        """A bit for each text, none set."""
        return np.zeros(self.count // 8 + 1, np.uint8)

    def with_gone(self, gone: Bits, ids: Iterable[bytes]) -> Bits:
        """A copy of the bits, with those of the entries set that are here."""
        asked = _as_text(np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16))
        marked = gone.copy()
        if not self.count or not len(asked):
            return marked
        mine = _as_text(self.ids)
        places = np.searchsorted(mine, asked, sorter=self._by_id)
        docs = self._by_id[np.minimum(places, self.count - 1)].astype(np.int64)
        docs = docs[mine[docs] == asked]
        np.bitwise_or.at(marked, docs >> 3, (1 << (docs & 7)).astype(np.uint8))
        return marked

    def there(self, gone: Bits) -> Numbers:
        """The numbers of the texts whose bit is not set."""
        bits = np.unpackbits(gone, bitorder="little")[: self.count]
        return np.flatnonzero(bits == 0)

    def id_of(self, doc: int) -> bytes:
        """The 16 bytes of the entry's id."""
        return bytes(self.ids[doc])


def _as_text(ids: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Ids as something that sorts: of one length each, so that no NUL is lost."""
    return np.ascontiguousarray(ids).view("S16").ravel()


def write_segment(path: Path, arrays: Arrays, revision: int) -> None:
    """Write a segment, durably; it gets its name when it is whole."""
    sections, at = {}, 4096
    for name, array in arrays._asdict().items():
        sections[name] = _Section(array.dtype.str, at, array.size)
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    header = msgspec.json.encode(_Header(FORMAT, at, revision, sections))
    told = MAGIC + len(header).to_bytes(4, "little")
    told += zlib.crc32(header).to_bytes(4, "little") + header
    writing = path.with_name(f"{path.name}.{os.getpid()}.writing")
    with writing.open("wb") as file:
        file.write(told)
        for name, array in arrays._asdict().items():
            file.seek(sections[name].offset)
            file.write(np.ascontiguousarray(array).tobytes())
        file.truncate(at)
        file.flush()
        os.fsync(file.fileno())
    writing.rename(path)


def open_segment(path: Path) -> Segment:
    """Map a segment into memory. Raises Damaged, and OSError when it is not there."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < 4096:
            raise Damaged("it is too short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = _read_header(mapped)
    if header.size != len(mapped):
        raise Damaged(f"it has {len(mapped)} bytes of {header.size}")
    arrays = {
        name: np.frombuffer(mapped, part.dtype, part.length, part.offset)
        for name, part in header.sections.items()
    }
    return Segment(Arrays(**arrays), header.revision, path.name)


def _read_header(mapped: mmap.mmap) -> _Header:
    begin = len(MAGIC) + 8
    length = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + 4], "little")
    checksum = int.from_bytes(mapped[len(MAGIC) + 4 : begin], "little")
    told = mapped[begin : begin + length]
    if mapped[: len(MAGIC)] != MAGIC or zlib.crc32(told) != checksum:
        raise Damaged("its head is not one of ours")
    header = msgspec.json.decode(told, type=_Header)
    if header.format != FORMAT:
        raise Damaged(f"it is of format {header.format}, not {FORMAT}")
    return header
