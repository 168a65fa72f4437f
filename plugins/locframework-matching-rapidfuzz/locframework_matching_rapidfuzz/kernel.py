"""Calls what was compiled; it lets other threads run meanwhile."""

import ctypes
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .entries import Bits
from .segment import Segment

STAY = 208  # of 256: how much of the threshold stays when long lists are not read
ROOM = 1024  # hits that are made room for at first
_LIBRARY = Path(__file__).with_name("_kernel.so")
_POINTERS = ("codes", "offsets", "starts", "lists", "ends", "bases")
Hits = tuple[NDArray[np.uint32], NDArray[np.uint32]]  # numbers of texts, distances


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
        self._find = loaded.locframework_find
        self._find.restype = ctypes.c_long
        self._find.argtypes = [
            ctypes.c_void_p,
            ctypes.c_void_p,
            *[ctypes.c_long] * 3,
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_long,
        ]

    def find(self, segment: Segment, gone: Bits, text: str, percent: int) -> Hits:
        """Every text at least so similar, in no order. The text is not empty.

        For segments whose codes take 16 bits.
        """
        codes = np.ascontiguousarray(segment.coded(text))
        told = _Segment(
            *(getattr(segment, name).ctypes.data for name in _POINTERS),
            gone.ctypes.data,
            segment.count,
            segment.longest,
        )
        room = ROOM
        while True:
            docs, distances = np.empty(room, np.uint32), np.empty(room, np.uint32)
            found = self._find(
                ctypes.byref(told),
                codes.ctypes.data,
                len(codes),
                percent,
                STAY,
                docs.ctypes.data,
                distances.ctypes.data,
                room,
            )
            if found < 0:
                raise MemoryError("no memory to compare texts")
            if found <= room:
                return docs[:found], distances[:found]
            room = found

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
