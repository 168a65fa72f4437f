"""The passages of a memory at one moment, and the search for parts of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from locframework.ports import Concordance

from .entries import Bits, Numbers, spelled
from .kernel import Kernel
from .passages import SOURCE, Passage, PassageSegment, arrays_of
from .view import View

STEP = 1 << 13  # bytes of bits that are read at once: the first page needs few
WHOLE = 1 << 62  # taken off the rank of what is the text as a whole


class Held(NamedTuple):
    """The entries of one segment that hold a text, as bits."""

    segment: PassageSegment
    bits: Bits
    whole: Bits  # of them, those that are the text

    @property
    def total(self) -> int:
        """How many."""
        return int(np.bitwise_count(self.bits).sum())

    def first(self, most: int) -> tuple[Numbers, Numbers]:
        """The first of them: their numbers, and their ranks."""
        whole = _set_bits(self.whole, most)
        others = _set_bits(self.bits & ~self.whole, most - len(whole))
        docs = np.concatenate([whole, others])
        ranks = self.segment.ranks[docs]
        ranks[: len(whole)] -= WHOLE
        return docs, ranks


class PassageView(View[PassageSegment, Passage]):
    """Passages that can be asked which hold a text."""

    def segment_of(
        self,
        ids: Sequence[bytes],
        told: Sequence[Passage],
        removed: Iterable[bytes] = (),
    ) -> PassageSegment:
        return PassageSegment(arrays_of(ids, told, removed), self.revision)

    def holding(self, kernel: Kernel, asked: Concordance) -> list[Held]:
        """The entries that hold the text, segment by segment."""
        needle = asked.text.encode("utf-8", "surrogatepass")
        found = []
        for segment, gone in self.all_parts:
            languages = _languages(segment, asked)
            bits, whole = segment.holding(kernel, needle, languages)
            found.append(Held(segment, bits & ~gone, whole & ~gone))
        return found


def page_of(found: Sequence[Held], offset: int, limit: int) -> list[str]:
    """The entry ids of a page of all of them together."""
    first = [held.first(offset + limit) for held in found]
    ids = [held.segment.ids[docs] for held, (docs, _) in zip(found, first, strict=True)]
    all_ids = np.concatenate([np.empty((0, 16), np.uint8), *ids])
    ranks = np.concatenate([np.empty(0, np.int64), *(each for _, each in first)])
    if len(found) > 1:  # one segment is in order
        halves = all_ids.view(">u8")
        all_ids = all_ids[np.lexsort((halves[:, 1], halves[:, 0], ranks))]
    return spelled(all_ids[offset : offset + limit])


def _languages(segment: PassageSegment, asked: Concordance) -> Iterable[bytes]:
    if asked.search_in != "target":
        yield SOURCE
    if asked.search_in != "source":
        codes = asked.language_codes
        wanted = None if codes is None else {code.encode() for code in codes}
        for code in segment.lines:
            if code != SOURCE and (wanted is None or code in wanted):
                yield code


def _set_bits(bits: Bits, most: int) -> Numbers:
    """The places of the first that are set."""
    found, many = [np.empty(0, np.int64)], 0
    for begin in range(0, len(bits), STEP):
        if many >= most:
            break
        some = np.unpackbits(bits[begin : begin + STEP], bitorder="little")
        found.append(np.flatnonzero(some.view(bool)) + begin * 8)
        many += len(found[-1])
    return np.concatenate(found)[:most]
