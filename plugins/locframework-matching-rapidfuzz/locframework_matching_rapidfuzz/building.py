"""Makes the arrays of a segment out of texts."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .entries import order_of, packed
from .tokens import (
    HASH_BITS,
    OCCURRENCES,
    TOKENS,
    Codes,
    hashed_pairs,
    occurrence_of,
)

BLOCK = 1 << 16  # texts whose numbers fit in 16 bits
AT_ONCE = 1 << 20  # characters
MOST_CODES = (1 << 16) - 1


Noted = tuple[str, bytes]
"""A text that is not empty, and what is kept with it."""


class Arrays(NamedTuple):
    """What a segment is made of; the texts are sorted by length."""

    ids: NDArray[np.uint8]  # 16 bytes for each text
    by_id: NDArray[np.uint32]  # numbers of texts, by entry id
    removed: NDArray[np.uint8]  # 16 bytes for each entry of an earlier segment
    alphabet: NDArray[np.uint32]  # the code points there are, ascending
    codes: Codes  # the texts one after the other, as places in the alphabet from 1
    offsets: NDArray[np.uint64]  # where each text begins, and where the last one ends
    lists: NDArray[np.uint16]  # block by block, the texts of each token
    ends: NDArray[np.uint32]  # for each block, where in its lists each token's end
    bases: NDArray[np.uint64]  # where the lists of each block begin, and the end
    notes: NDArray[np.uint8]  # what is kept with the texts, one after the other
    note_ends: NDArray[np.uint64]  # 0, and where the note of each text ends


def arrays_of(
    ids: Sequence[bytes], noted: Sequence[Noted], removed: Iterable[bytes] = ()
) -> Arrays:
    """The arrays for texts with their notes; ids are of 16 bytes.

    ``removed`` are entries of earlier segments that are gone.
    """
    lengths = np.fromiter((len(text) for text, _ in noted), np.int64, len(noted))
    order = np.argsort(lengths, kind="stable")
    offsets = np.zeros(len(noted) + 1, np.uint64)
    np.cumsum(lengths[order], out=offsets[1:])
    in_order = order.tolist()
    alphabet, codes = _coded([noted[i][0] for i in in_order], offsets)
    notes = [noted[i][1] for i in in_order]
    note_ends = np.zeros(len(notes) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, notes), np.int64, len(notes)), out=note_ends[1:])
    lists, ends, bases = _lists(codes, offsets)
    sorted_ids = packed(ids)[order]
    return Arrays(
        ids=sorted_ids,
        by_id=order_of(sorted_ids),
        removed=packed(removed),
        alphabet=alphabet,
        codes=codes,
        offsets=offsets,
        lists=lists,
        ends=ends,
        bases=bases,
        notes=np.frombuffer(b"".join(notes), np.uint8),
        note_ends=note_ends,
    )


def _coded(
    texts: list[str], offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint32], Codes]:
    """The characters there are, sorted, and the texts as numbers from 1 in them.

    More than 65,535 different ones take 32 bits each; then the kernel stands aside.
    """
    seen = np.zeros(0x110000, bool)
    for first, last in _runs(offsets):
        seen[_points(texts[first:last])] = True
    alphabet = np.flatnonzero(seen).astype(np.uint32)
    size, is_narrow = int(offsets[-1]), len(alphabet) <= MOST_CODES
    codes: Codes = np.empty(size, np.uint16) if is_narrow else np.empty(size, np.uint32)
    number = np.zeros(0x110000, codes.dtype)
    number[alphabet] = np.arange(1, len(alphabet) + 1)
    for first, last in _runs(offsets):
        place = slice(int(offsets[first]), int(offsets[last]))
        codes[place] = number[_points(texts[first:last])]
    return alphabet, codes


def _points(texts: list[str]) -> NDArray[np.uint32]:
    """The code points, one text after the other."""
    joined = "".join(texts)
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)


def _runs(offsets: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """Texts one after the other: of each run the first, and the one behind the last.

    However many and long they all are, a run is of some AT_ONCE characters: what is
    worked out on the way takes thirty bytes for each.
    """
    begins = np.arange(offsets[0], offsets[-1], AT_ONCE, dtype=np.uint64)
    return pairwise([*np.searchsorted(offsets, begins).tolist(), len(offsets) - 1])


def _lists(
    codes: Codes, offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32], NDArray[np.uint64]]:
    """The texts of each token, block by block; where a token's end; where a block's."""
    lists, ends, bases = [np.empty(0, np.uint16)], [np.empty(0, np.uint32)], [0]
    for first in range(0, len(offsets) - 1, BLOCK):
        of_block, ends_of_block = _lists_of_block(
            codes, offsets[first : first + BLOCK + 1]
        )
        lists.append(of_block)
        ends.append(ends_of_block)
        bases.append(bases[-1] + len(of_block))
    return np.concatenate(lists), np.concatenate(ends), np.array(bases, np.uint64)


def _lists_of_block(
    codes: Codes, offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    placed = np.empty(int(offsets[-1] - offsets[0]), np.uint32)
    counts, size = np.zeros(TOKENS, np.uint32), 0
    for first, last in _runs(offsets):
        token, text = _tokens(codes, offsets[first : last + 1])
        counts += np.bincount(token, minlength=TOKENS).astype(np.uint32)
        part = token << np.uint32(32 - HASH_BITS - 2) | text + np.uint32(first)
        placed[size : size + len(part)] = part
        size += len(part)
    placed = placed[:size]
    placed.sort()
    ends = np.zeros(TOKENS + 1, np.uint32)
    np.cumsum(counts, out=ends[1:])
    return placed.astype(np.uint16), ends


def _tokens(
    codes: Codes, offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """All tokens of some texts, and of which of them each is."""
    lengths = np.diff(offsets).astype(np.int64)
    text = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    inside = text[1:] == text[:-1]
    pairs = hashed_pairs(codes[int(offsets[0]) : int(offsets[-1])])[inside]
    pairs = pairs << np.uint32(16) | text[:-1][inside]
    pairs.sort()
    occurrence = occurrence_of(pairs)
    counted = occurrence < OCCURRENCES
    pairs, occurrence = pairs[counted], occurrence[counted]
    token = (pairs >> np.uint32(16)) * np.uint32(OCCURRENCES) + occurrence
    return token, pairs & np.uint32(BLOCK - 1)
