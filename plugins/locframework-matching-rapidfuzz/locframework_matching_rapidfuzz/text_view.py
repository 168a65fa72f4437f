"""The folded texts of a memory at one moment, and the search for similar ones."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

import numpy as np

from .building import Noted, arrays_of
from .entries import Bits, Numbers, spelled
from .kernel import Hits, Kernel
from .scanning import scan
from .segment import Segment
from .view import View

Near = list[tuple[int, str, bytes]]  # percent, entry id, note


class TextView(View[Segment, Noted]):
    """Texts that can be asked what is like one."""

    def segment_of(
        self, ids: Sequence[bytes], told: Sequence[Noted], removed: Iterable[bytes] = ()
    ) -> Segment:
        return Segment(arrays_of(ids, told, removed), self.revision)

    def near(
        self, kernel: Kernel | None, text: str, percent: int, most: int
    ) -> tuple[Near, bool]:
        """The best, and whether they are all. The text is not empty."""
        near: Near = []
        is_whole = True
        for segment, gone in self.all_parts:
            hits = _search(kernel, segment, gone, text, percent)
            found, is_all = _best(segment, hits, len(text), most)
            near += found
            is_whole &= is_all
        if len(self.all_parts) > 1:  # those of one are in order
            near.sort(key=itemgetter(1))
            near.sort(key=itemgetter(0), reverse=True)
        return near[:most], is_whole and len(near) <= most


def _search(
    kernel: Kernel | None, segment: Segment, gone: Bits, text: str, percent: int
) -> Hits:
    if kernel is not None and segment.codes.dtype == np.uint16:
        return kernel.find(segment, gone, text, percent)
    return scan(segment, gone, text, percent)


def _best(segment: Segment, found: Hits, length: int, most: int) -> tuple[Near, bool]:
    if not len(found[0]):  # as in most of many memories
        return [], True
    docs, distances = (each.astype(np.int64) for each in found)
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    percent = _percent(length, lengths, distances)
    is_all = len(docs) <= most
    if not is_all:  # only what is as alike as the last of the best needs a place
        near = np.flatnonzero(percent >= np.partition(percent, -most)[-most])
        docs, percent = docs[near], percent[near]
    ids = segment.ids[docs]
    halves = ids.view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0], -percent))[:most]
    docs, percent, ids = docs[order], percent[order], ids[order]
    told = percent.tolist(), spelled(ids), segment.notes_of(docs)
    return list(zip(*told, strict=True)), is_all


def _percent(length: int, lengths: Numbers, distances: Numbers) -> Numbers:
    longest = np.maximum(lengths, length)
    percent: Numbers = (longest - distances) * 100 // longest
    return percent
