"""The passages of a memory in one file, in the order in which they are shown."""

from array import array
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .entries import Bits, Entries, Ids, order_of, packed
from .kernel import Kernel
from .stored import Damaged, read_arrays, write_arrays

FORMAT = 3
SOURCE = b""  # stands for the code of the source language
_TIME_BITS = 42  # of milliseconds since 1970: until 2109


class Passage(NamedTuple):
    """What one entry says, in little room."""

    rank: int  # what is less comes first
    texts: bytes  # a line each: language code, tab, folded text


def rank_of(length: int, updated_at: str) -> int:
    """Less for a shorter source text; of one length, for the newer one."""
    return length << _TIME_BITS | (1 << _TIME_BITS) - 1 - _milliseconds(updated_at)


@lru_cache(maxsize=1000)
def _milliseconds(at: str) -> int:
    """Since 1970; thousands of entries have the time of one import."""
    return round(datetime.fromisoformat(at).timestamp() * 1000)


class Arrays(NamedTuple):
    """What a segment is made of; the entries are sorted by rank, then id."""

    ids: Ids
    by_id: NDArray[np.uint32]
    removed: Ids
    ranks: NDArray[np.int64]
    text: NDArray[np.uint8]  # UTF-8: lines, language by language, in order of entries
    starts: NDArray[np.uint64]  # where each line begins, and where the last one ends
    docs: NDArray[np.uint32]  # for each line the number of its entry
    languages: NDArray[np.uint8]  # the codes, a line each; the source's first
    firsts: NDArray[np.uint64]  # for each language its first line; and how many lines


class _Lines:
    """The texts of one language."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.docs = array("I")


class PassageSegment(Entries[Passage]):
    """Passages of a memory, immutable."""

    def __init__(self, arrays: Arrays, revision: int, name: str = "") -> None:
        super().__init__(arrays.ids, arrays.by_id, arrays.removed, revision, name)
        self._arrays = arrays
        self.ranks, self.text = arrays.ranks, arrays.text
        self.starts, self.docs = arrays.starts, arrays.docs
        codes = arrays.languages.tobytes().split(b"\n")
        firsts = arrays.firsts.astype(np.int64).tolist()
        if len(firsts) != len(codes) + 1:
            raise Damaged("its languages do not fit")
        self.lines = dict(zip(codes, pairwise(firsts), strict=True))
        self._check(firsts)

    def _check(self, firsts: list[int]) -> None:
        """Raise Damaged unless every offset stays inside: the kernel trusts them."""
        is_whole = (
            len(self.ranks) == self.count
            and len(self.starts) == len(self.docs) + 1
            and bool((self.docs < max(self.count, 1)).all())
            and self.starts[0] == 0
            and self.starts[-1] == len(self.text)
            and bool((self.starts[:-1] <= self.starts[1:]).all())
            and firsts[0] == 0
            and firsts[-1] == len(self.docs)
            and firsts == sorted(firsts)
        )
        if not is_whole:
            raise Damaged("its offsets do not fit")

    def holding(
        self, kernel: Kernel, needle: bytes, languages: Iterable[bytes]
    ) -> tuple[Bits, Bits]:
        """A bit for each entry: it holds the text, and it is the text."""
        bits, whole = self.none_gone(), self.none_gone()
        for code in languages:
            first, last = self.lines.get(code, (0, 0))
            if first < last:
                kernel.mark(
                    self.text,
                    self.starts[first : last + 1],
                    self.docs[first:last],
                    needle,
                    bits,
                    whole,
                )
        return bits, whole

    def told(self, docs: Sequence[int]) -> list[Passage]:
        """The passages with these numbers."""
        lines: dict[int, list[bytes]] = {doc: [] for doc in docs}
        text = self.text.data
        for code, (first, last) in self.lines.items():
            starts = self.starts[first : last + 1].tolist()
            for at, doc in enumerate(self.docs[first:last].tolist()):
                if doc in lines:
                    line = bytes(text[starts[at] : starts[at + 1] - 1])
                    lines[doc].append(code + b"\t" + line)
        ranks = self.ranks[np.asarray(docs, np.int64)].tolist()
        return [
            Passage(rank, b"\n".join(lines[doc]))
            for rank, doc in zip(ranks, docs, strict=True)
        ]

    def write(self, path: Path) -> None:
        """Write it to a file, durably."""
        write_arrays(path, FORMAT, self._arrays._asdict(), self.revision)

    @classmethod
    def open(cls, path: Path, *, whole: bool = False) -> "PassageSegment":
        """Map one into memory. Raises Damaged, and OSError when it is not there."""
        arrays, revision = read_arrays(path, FORMAT, whole=whole)
        return cls(Arrays(**arrays), revision, path.name)


def arrays_of(
    ids: Sequence[bytes], told: Sequence[Passage], removed: Iterable[bytes] = ()
) -> Arrays:
    """The arrays for passages; ids are of 16 bytes.

    ``removed`` are entries of earlier segments that are gone.
    """
    all_ids = packed(ids)
    ranks = np.fromiter((each.rank for each in told), np.int64, len(told))
    halves = all_ids.view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0], ranks))
    by_code = _by_code(told, order.tolist())
    starts = np.zeros(sum(len(of.docs) for of in by_code.values()) + 1, np.uint64)
    lengths = (len(text) + 1 for of in by_code.values() for text in of.texts)
    np.cumsum(np.fromiter(lengths, np.uint64, len(starts) - 1), out=starts[1:])
    joined = b"".join(b"\n".join([*of.texts, b""]) for of in by_code.values())
    sorted_ids = all_ids[order]
    counts = [0, *(len(of.docs) for of in by_code.values())]
    docs = [np.frombuffer(of.docs, np.uint32) for of in by_code.values()]
    return Arrays(
        ids=sorted_ids,
        by_id=order_of(sorted_ids),
        removed=packed(removed),
        ranks=ranks[order],
        text=np.frombuffer(joined, np.uint8),
        starts=starts,
        docs=np.concatenate(docs),
        languages=np.frombuffer(b"\n".join(by_code), np.uint8),
        firsts=np.cumsum(np.array(counts, np.uint64)),
    )


def _by_code(told: Sequence[Passage], order: Iterable[int]) -> dict[bytes, _Lines]:
    """The texts in order, by language code; the source's first."""
    found = {SOURCE: _Lines()}
    for doc, at in enumerate(order):
        for line in told[at].texts.split(b"\n"):
            code, _, text = line.partition(b"\t")
            lines = found.get(code)
            if lines is None:
                lines = found[code] = _Lines()
            lines.texts.append(text)
            lines.docs.append(doc)
    return found
