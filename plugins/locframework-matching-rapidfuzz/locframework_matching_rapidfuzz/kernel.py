"""Calls what was compiled; it lets other threads run meanwhile."""

import ctypes
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .segments import Bits
from .texts import Segment

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
    """The kernel, or None where it could not be built: scanning.py does it then."""
    try:
        return Kernel()
    except (OSError, AttributeError):  # what an older version built
        return None
