"""Makes the arrays of a segment out of texts."""

from collections.abc import Iterable, Iterator, Sequence
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
MOST_CODES = (1 << 16) - 1


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


def arrays_of(
    ids: Sequence[bytes], texts: Sequence[str], removed: Iterable[bytes] = ()
) -> Arrays:
    """The arrays for texts that are not empty; ids are of 16 bytes.

    ``removed`` are entries of earlier segments that are gone.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    order = np.argsort(lengths, kind="stable")
    offsets = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum(lengths[order], out=offsets[1:])
    alphabet, codes = _coded([texts[i] for i in order.tolist()])
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
    )


def _coded(texts: list[str]) -> tuple[NDArray[np.uint32], Codes]:
    """The characters there are, sorted, and the texts as numbers from 1 in them.

    More than 65,535 different ones take 32 bits each; then the kernel stands aside.
    """
    seen = np.zeros(0x110000, bool)
    for part in _parts(texts):
        seen[part] = True
    alphabet = np.flatnonzero(seen).astype(np.uint32)
    width = np.uint16 if len(alphabet) <= MOST_CODES else np.uint32
    number = np.zeros(0x110000, width)
    number[alphabet] = np.arange(1, len(alphabet) + 1, dtype=width)
    coded = [number[part] for part in _parts(texts)]
    return alphabet, np.concatenate([np.empty(0, width), *coded])


def _parts(texts: list[str]) -> Iterator[NDArray[np.uint32]]:
    """The code points, some megabytes at a time."""
    for first in range(0, len(texts), BLOCK):
        joined = "".join(texts[first : first + BLOCK])
        yield np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)


def _lists(
    codes: Codes, offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32], NDArray[np.uint64]]:
    """The texts of each token, block by block; where a token's end; where a block's."""
    lists, ends, bases = [np.empty(0, np.uint16)], [np.empty(0, np.uint32)], [0]
    for first in range(0, len(offsets) - 1, BLOCK):
        bounds = offsets[first : first + BLOCK + 1]
        of_block, ends_of_block = _lists_of_block(
            codes[int(bounds[0]) : int(bounds[-1])], bounds - bounds[0]
        )
        lists.append(of_block)
        ends.append(ends_of_block)
        bases.append(bases[-1] + len(of_block))
    return np.concatenate(lists), np.concatenate(ends), np.array(bases, np.uint64)


def _lists_of_block(
    codes: Codes, bounds: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    lengths = np.diff(bounds).astype(np.int64)
    text = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    inside = text[1:] == text[:-1]
    pairs = hashed_pairs(codes)[inside] << np.uint32(16) | text[:-1][inside]
    pairs.sort()
    occurrence = occurrence_of(pairs)
    counted = occurrence < OCCURRENCES
    pairs, occurrence = pairs[counted], occurrence[counted]
    token = (pairs >> np.uint32(16)) * np.uint32(OCCURRENCES) + occurrence
    placed = token << np.uint32(32 - HASH_BITS - 2) | pairs & np.uint32(BLOCK - 1)
    placed.sort()
    ends = np.zeros(TOKENS + 1, np.uint32)
    np.cumsum(np.bincount(token, minlength=TOKENS), out=ends[1:])
    return placed.astype(np.uint16), ends
