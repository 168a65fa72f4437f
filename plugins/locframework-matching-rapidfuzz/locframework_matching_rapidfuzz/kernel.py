"""Finds similar texts in a segment: compiled, or with numpy and rapidfuzz.

What was compiled lets other threads run meanwhile.
"""

import ctypes
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from .segments import Bits, Numbers
from .texts import BLOCK, TOKENS, Segment, tokens_of

STAY = 208  # of 256: how much of the threshold stays when long lists are not read
NUMPY_STAY = 0.5  # the same, in numpy
ROOM = 65536  # hits, of several texts; a text with more is looked for once more
_LIBRARY = Path(__file__).with_name("_kernel.so")
_POINTERS = ("codes", "offsets", "starts", "lists", "ends", "bases")


class Hits(NamedTuple):
    """What was found for some texts, one text after the other, each in no order."""

    docs: NDArray[np.uint32]
    distances: NDArray[np.uint32]
    ends: NDArray[np.uint64]  # of each text's own


class _Segment(ctypes.Structure):
    """``Segment`` of kernel.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*_POINTERS, "gone")),
        ("count", ctypes.c_uint64),
        ("longest", ctypes.c_uint64),
    )


class Kernel:
    """The compiled searches. Raises OSError when they were not built."""

    def __init__(self, library: Path = _LIBRARY) -> None:
        loaded = ctypes.CDLL(str(library))
        self._mark = loaded.locframework_mark
        self._mark.restype = None
        self._mark.argtypes = [
            *[ctypes.c_void_p] * 3,
            ctypes.c_uint64,
            ctypes.c_char_p,
            *[ctypes.c_uint64] * 2,
            *[ctypes.c_void_p] * 2,
        ]
        self._find = loaded.locframework_find_texts  # an older library has none
        self._find.restype = ctypes.c_long
        self._find.argtypes = [
            *[ctypes.c_void_p] * 3,
            *[ctypes.c_long] * 3,
            *[ctypes.c_void_p] * 3,
            ctypes.c_long,
        ]

    def find(
        self, segment: Segment, gone: Bits, texts: Sequence[str], percent: int
    ) -> Hits:
        """For each text all that are at least so similar. None of them is empty.

        Of so many texts, from the first on, as there is room for. For segments whose
        codes take 16 bits.
        """
        codes = np.ascontiguousarray(segment.coded("".join(texts)))
        ends = np.fromiter(accumulate(map(len, texts)), np.uint64, len(texts))
        told = _Segment(
            *(getattr(segment, name).ctypes.data for name in _POINTERS),
            gone.ctypes.data,
            segment.count,
            segment.longest,
        )
        room, found = ROOM, np.empty(len(texts), np.uint64)
        while True:
            docs, distances = np.empty(room, np.uint32), np.empty(room, np.uint32)
            many = self._find(
                ctypes.byref(told),
                codes.ctypes.data,
                ends.ctypes.data,
                len(texts),
                percent,
                STAY,
                found.ctypes.data,
                docs.ctypes.data,
                distances.ctypes.data,
                room,
            )
            if many < 0:
                raise MemoryError("no memory to compare texts")
            if many:
                last = int(found[many - 1])
                return Hits(docs[:last], distances[:last], found[:many])
            room = int(found[0])

    def mark(
        self,
        text: NDArray[np.uint8],
        starts: NDArray[np.uint64],
        docs: NDArray[np.uint32],
        needle: bytes,
        bits: Bits,
        whole: Bits,
    ) -> None:
        """Set the bits of the docs whose lines hold the needle, and are it.

        ``needle`` is not empty, UTF-8, and has no line break.
        """
        last = len(needle) - 1
        early = next(at for at in range(last + 1) if _ends_character(needle, at))
        if early == last:  # one character: two of its bytes tell more than one
            early = max(0, last - 1)
        self._mark(
            text.ctypes.data,
            starts.ctypes.data,
            docs.ctypes.data,
            len(docs),
            needle,
            len(needle),
            early,
            bits.ctypes.data,
            whole.ctypes.data,
        )


def _ends_character(text: bytes, at: int) -> bool:
    return at + 1 == len(text) or text[at + 1] & 0xC0 != 0x80


def compiled() -> Kernel | None:
    """The kernel, or None where it could not be built: ``scan`` does it then."""
    try:
        return Kernel()
    except (OSError, AttributeError):  # what an older version built
        return None


def scan(segment: Segment, gone: Bits, text: str, percent: int) -> Hits:
    """Every text at least so similar. The text is not empty."""
    low = max(1, -(-len(text) * percent // 100))
    high = min(segment.longest, len(text) * 100 // percent)
    if low > high:
        return _distances(segment, text, percent, np.empty(0, np.int64))
    first, last = int(segment.starts[low]), int(segment.starts[high + 1])
    left = [
        _survivors(segment, block, first, last, text, percent)
        for block in range(first // BLOCK, -(-last // BLOCK))
    ]
    docs = np.concatenate([np.empty(0, np.int64), *left])
    docs = docs[gone[docs >> 3] >> (docs & 7) & 1 == 0]
    return _distances(segment, text, percent, docs)


def edits(length: int, other: NDArray[np.int64], percent: int) -> NDArray[np.int64]:
    """The most edits that texts of these lengths may be apart."""
    return (100 - percent) * np.maximum(length, other) // 100


def _survivors(
    segment: Segment, block: int, first: int, last: int, text: str, percent: int
) -> Numbers:
    """Those of the block, from first to before last, that share enough pairs."""
    base = block * BLOCK
    begin, end = max(first - base, 0), min(last - base, BLOCK, segment.count - base)
    if begin >= end:
        return np.empty(0, np.int64)
    bounds = segment.offsets[base + begin : base + end + 1]
    lengths = np.diff(bounds).astype(np.int64)
    shared = np.maximum(len(text), lengths) - 1
    shared -= 2 * edits(len(text), lengths, percent)
    tokens, uncounted = tokens_of(segment.coded(text))
    shared -= uncounted
    threshold = int(shared.min())
    if threshold < 1:
        return np.arange(base + begin, base + end)
    ends = segment.ends[block * (TOKENS + 1) : (block + 1) * (TOKENS + 1)]
    of_block = segment.lists[int(segment.bases[block]) :]
    lists = [
        of_block[first:last]
        for first, last in zip(
            ends[tokens].tolist(), ends[tokens + 1].tolist(), strict=True
        )
    ]
    bounds = np.array([begin, end - 1], np.uint16)
    if begin or end < min(BLOCK, segment.count - base):
        parts = [whole.searchsorted(bounds).tolist() for whole in lists]
        lists = [
            whole[low : high + 1]
            for whole, (low, high) in zip(lists, parts, strict=True)
        ]
    lists.sort(key=len)
    unread = threshold - max(1, int(threshold * NUMPY_STAY + 0.5))
    read = np.concatenate(lists[: len(lists) - unread])
    seen = np.bincount(read, minlength=BLOCK + 1)[begin:end]
    return np.flatnonzero(seen >= shared - unread) + base + begin


def _distances(segment: Segment, text: str, percent: int, docs: Numbers) -> Hits:
    if not len(docs):
        return _hits(docs, docs)
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    most = edits(len(text), lengths, percent)
    texts = segment.texts_of(docs.tolist())
    distances = distances_of(text, texts, int(most.max()))
    near = distances <= most
    return _hits(docs[near], distances[near])


def _hits(docs: Numbers, distances: Numbers) -> Hits:
    ends = np.array([len(docs)], np.uint64)
    return Hits(docs.astype(np.uint32), distances.astype(np.uint32), ends)


def distances_of(text: str, others: list[str], most: int) -> NDArray[np.int64]:
    """The Levenshtein distances; more than ``most`` where it is more."""
    table = process.cdist(
        [text], others, scorer=Levenshtein.distance, score_cutoff=most, dtype=np.int64
    )
    row: NDArray[np.int64] = table[0]
    return row
