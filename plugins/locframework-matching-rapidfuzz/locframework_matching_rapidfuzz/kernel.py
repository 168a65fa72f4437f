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

from .arrays import Bits, Numbers
from .segments import Segment

STAY = 208  # of 256: how much of the threshold stays when long lists are not read
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


def compiled() -> Kernel | None:
    """The kernel, or None where it could not be built: ``scan`` does it then."""
    try:
        return Kernel()
    except (OSError, AttributeError):  # what an older version built
        return None


def scan(segment: Segment, gone: Bits, text: str, percent: int) -> Hits:
    """Every text at least so similar, compared one by one. The text is not empty."""
    low = max(1, -(-len(text) * percent // 100))
    high = min(segment.longest, len(text) * 100 // percent)
    if low > high:
        return _hits(np.empty(0, np.int64), np.empty(0, np.int64))
    docs = np.arange(segment.starts[low], segment.starts[high + 1], dtype=np.int64)
    docs = docs[gone[docs >> 3] >> (docs & 7) & 1 == 0]
    return _distances(segment, text, percent, docs)


def _distances(segment: Segment, text: str, percent: int, docs: Numbers) -> Hits:
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    most = (100 - percent) * np.maximum(len(text), lengths) // 100
    table = process.cdist(
        [text],
        segment.texts_of(docs.tolist()),
        scorer=Levenshtein.distance,
        score_cutoff=int(most.max(initial=0)),
        dtype=np.int64,
    )
    near = table[0] <= most
    return _hits(docs[near], table[0][near])


def _hits(docs: Numbers, distances: Numbers) -> Hits:
    ends = np.array([len(docs)], np.uint64)
    return Hits(docs.astype(np.uint32), distances.astype(np.uint32), ends)
