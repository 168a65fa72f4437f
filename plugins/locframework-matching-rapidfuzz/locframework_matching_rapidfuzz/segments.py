"""Segments: the texts of a memory as arrays, sorted by length and indexed by pairs.

A text has a token for each pair of neighboring characters, with how often the pair came
before in the text. kernel.c computes the same; a change here changes it and ``FORMAT``.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .arrays import (
    Bits,
    Damaged,
    Ids,
    Numbers,
    order_of,
    packed,
    read_arrays,
    sortable,
    write_arrays,
)

FORMAT = 4
HASH_BITS = 14
OCCURRENCES = 4  # of one pair in one text, told apart
TOKENS = OCCURRENCES << HASH_BITS
BLOCK = 1 << 16  # texts whose numbers fit in 16 bits
CHARACTERS_AT_ONCE = 1 << 20
CODES_LIMIT = (1 << 16) - 1
DECODED_AT_ONCE = 4096  # texts

Codes = NDArray[np.uint16] | NDArray[np.uint32]


def hashed_pairs(codes: Codes) -> NDArray[np.uint32]:
    """The pairs of neighbours as numbers below ``1 << HASH_BITS``.

    Different pairs may have one number: that only ever counts too much.
    """
    wide = codes.astype(np.uint32)
    left = wide[:-1] * np.uint32(0x9E3779B1)
    right = wide[1:] * np.uint32(0x85EBCA6B) + np.uint32(0x7F4A7C15)
    mixed = (left ^ right) * np.uint32(0xC2B2AE35)
    shifted: NDArray[np.uint32] = mixed >> np.uint32(32 - HASH_BITS)
    return shifted


def occurrence_of(ordered: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How many equal numbers stand right before each, in sorted numbers."""
    if not len(ordered):
        return ordered
    places = np.arange(len(ordered), dtype=np.uint32)
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return places - np.maximum.accumulate(np.where(begins, places, 0)).astype(np.uint32)


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
    alphabet, codes = _coded([texts[i] for i in order.tolist()], offsets)
    lists, ends, bases = _lists(codes, offsets)
    sorted_ids = packed(ids)[order]
    return Arrays(
        ids=sorted_ids,
        by_id=order_of(sorted_ids).astype(np.uint32),
        removed=packed(removed),
        alphabet=alphabet,
        codes=codes,
        offsets=offsets,
        lists=lists,
        ends=ends,
        bases=bases,
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
    size, is_narrow = int(offsets[-1]), len(alphabet) <= CODES_LIMIT
    codes: Codes = np.empty(size, np.uint16) if is_narrow else np.empty(size, np.uint32)
    number = np.zeros(0x110000, codes.dtype)
    number[alphabet] = np.arange(1, len(alphabet) + 1)
    for first, last in _runs(offsets):
        place = slice(int(offsets[first]), int(offsets[last]))
        codes[place] = number[_points(texts[first:last])]
    return alphabet, codes


def _points(texts: list[str]) -> NDArray[np.uint32]:
    joined = "".join(texts)
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)


def _runs(offsets: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """Yield begins and ends of runs of texts, of some CHARACTERS_AT_ONCE characters.

    Building a run takes thirty bytes for each character.
    """
    begins = np.arange(offsets[0], offsets[-1], CHARACTERS_AT_ONCE, dtype=np.uint64)
    return pairwise([*np.searchsorted(offsets, begins).tolist(), len(offsets) - 1])


def _lists(
    codes: Codes, offsets: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint32], NDArray[np.uint64]]:
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


class Segment:
    """Immutable: folded texts of a memory up to a revision.

    ``name`` is that of the file.
    """

    def __init__(self, arrays: Arrays, revision: int, name: str = "") -> None:
        self.revision, self.name = revision, name
        self._arrays = arrays
        self.ids: Ids = arrays.ids.reshape(-1, 16)
        self.removed: Ids = arrays.removed.reshape(-1, 16)
        self.count = len(self.ids)
        self._by_id = arrays.by_id
        self.alphabet = arrays.alphabet
        self.codes = arrays.codes
        self.offsets = arrays.offsets
        self.lists = arrays.lists
        self.ends = arrays.ends
        self.bases = arrays.bases
        self._check()
        lengths = np.diff(self.offsets).astype(np.int64)
        self.longest = int(lengths[-1]) if self.count else 0
        every = np.arange(self.longest + 2)
        self.starts = np.searchsorted(lengths, every).astype(np.uint64)

    def _check(self) -> None:
        """Raise Damaged unless every offset stays inside: the kernel trusts them."""
        blocks = -(-self.count // BLOCK)
        ends = self.ends.reshape(-1, TOKENS + 1)
        lengths = np.diff(self.offsets.astype(np.int64))
        is_whole = (
            len(self._by_id) == self.count
            and bool((self._by_id < max(self.count, 1)).all())
            and len(self.offsets) == self.count + 1
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

    def write(self, path: Path) -> None:
        """Write it to a file, durably."""
        write_arrays(path, FORMAT, self._arrays._asdict(), self.revision)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file into memory. Raises Damaged, and OSError when it is not there."""
        arrays, revision = read_arrays(path, FORMAT)
        return cls(Arrays(**arrays), revision, path.name)

    def none_gone(self) -> Bits:
        """Return a bit for each entry, none set."""
        return np.zeros(self.count // 8 + 1, np.uint8)

    def with_gone(self, gone: Bits, ids: Iterable[bytes]) -> Bits:
        """Return a copy of the bits, with those of the entries set that are here."""
        asked = sortable(packed(ids))
        marked = gone.copy()
        if not self.count or not len(asked):
            return marked
        mine = sortable(self.ids)
        places = np.searchsorted(mine, asked, sorter=self._by_id)
        docs = self._by_id[np.minimum(places, self.count - 1)].astype(np.int64)
        docs = docs[mine[docs] == asked]
        np.bitwise_or.at(marked, docs >> 3, (1 << (docs & 7)).astype(np.uint8))
        return marked

    def present(self, gone: Bits) -> Numbers:
        """Return the numbers of the entries whose bit is not set."""
        bits = np.unpackbits(gone, bitorder="little")[: self.count]
        return np.flatnonzero(bits == 0)

    def id_of(self, doc: int) -> bytes:
        """Return the 16 bytes of the entry's id."""
        return bytes(self.ids[doc])

    def coded(self, text: str) -> Codes:
        """The text in this segment's numbers; 0 for a character that it has not."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        places = np.searchsorted(self.alphabet, points)
        places[places == len(self.alphabet)] = 0
        known = self.alphabet[places] == points if len(self.alphabet) else places < 0
        codes = np.where(known, places + 1, 0)
        is_narrow = self.codes.dtype == np.uint16
        return codes.astype(np.uint16) if is_narrow else codes.astype(np.uint32)

    def texts_of(self, docs: Sequence[int]) -> list[str]:
        """The texts with these numbers."""
        found: list[str] = []
        for first in range(0, len(docs), DECODED_AT_ONCE):
            found += self._decoded(
                np.asarray(docs[first : first + DECODED_AT_ONCE], np.int64)
            )
        return found

    def _decoded(self, docs: Numbers) -> list[str]:
        """Decoded as one text: one by one takes twenty times as long."""
        begins = self.offsets[docs].astype(np.int64)
        lengths = self.offsets[docs + 1].astype(np.int64) - begins
        ends = np.cumsum(lengths)
        places = np.repeat(begins - ends + lengths, lengths)
        places += np.arange(len(places))
        points = self.alphabet[self.codes[places] - 1]
        text = points.tobytes().decode("utf-32-le", "surrogatepass")
        return [text[i:j] for i, j in pairwise([0, *ends.tolist()])]
