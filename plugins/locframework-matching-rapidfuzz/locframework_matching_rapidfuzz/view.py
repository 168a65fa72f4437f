"""What one memory holds at one moment, and the search through all of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import itemgetter

import numpy as np

from .kernel import Hits, Kernel
from .scanning import distances_of, edits, scan
from .segment import Bits, Numbers, Segment

Near = list[tuple[int, bytes]]  # percent and entry id
Change = tuple[int, str | None]  # since which revision, and the text; None: gone

Part = tuple[Segment, Bits]  # the bits tell what is gone


class View:
    """Immutable: a search goes on in it while others move on to the next.

    ``segments`` are the oldest first; what one holds is gone where a later one or
    ``tail`` (by entry id) says otherwise. Complete up to ``revision``.
    """

    def __init__(
        self,
        segments: Iterable[Segment] = (),
        tail: Mapping[bytes, Change] | None = None,
        revision: int = 0,
    ) -> None:
        self.revision = revision
        self.tail: Mapping[bytes, Change] = tail or {}
        self.parts: list[Part] = []
        for segment in segments:
            self._mark_gone([segment.ids.tobytes(), segment.removed.tobytes()])
            self.parts.append((segment, segment.none_gone()))
        self._mark_gone(self.tail)

    def after(self, changes: Mapping[bytes, Change], revision: int) -> "View":
        """The view with these changes, which bring it up to the revision."""
        later = View((), {**self.tail, **changes}, revision)
        later.parts = list(self.parts)
        later._mark_gone(changes)
        return later

    def _mark_gone(self, ids: Iterable[bytes]) -> None:
        ids = list(ids)
        self.parts = [(one, one.with_gone(gone, ids)) for one, gone in self.parts]

    @property
    def size(self) -> int:
        """How many texts there are, counting those that are gone."""
        return sum(segment.count for segment, _ in self.parts) + len(self.tail)

    def near(
        self, kernel: Kernel | None, text: str, percent: int, most: int
    ) -> tuple[Near, bool]:
        """The best, and whether they are all. The text is not empty."""
        near, is_whole = self._near_in_tail(text, percent), True
        for segment, gone in self.parts:
            hits = _search(kernel, segment, gone, text, percent)
            found, is_all = _best(segment, hits, len(text), most)
            near += found
            is_whole &= is_all
        near.sort(key=itemgetter(1))
        near.sort(key=itemgetter(0), reverse=True)
        return near[:most], is_whole and len(near) <= most

    @cached_property
    def _short_to_long(self) -> tuple[list[int], list[bytes], list[str]]:
        """The tail's texts by length."""
        there = [(len(text), id_, text) for id_, (_, text) in self.tail.items() if text]
        there.sort(key=itemgetter(0))
        lengths, ids, texts = zip(*there, strict=True) if there else ((), (), ())
        return list(lengths), list(ids), list(texts)

    def _near_in_tail(self, text: str, percent: int) -> Near:
        lengths, ids, texts = self._short_to_long
        low = bisect_left(lengths, -(-len(text) * percent // 100))
        high = bisect_right(lengths, len(text) * 100 // percent)
        if low >= high:
            return []
        length = np.array(lengths[low:high])
        most = edits(len(text), length, percent)
        distances = distances_of(text, texts[low:high], int(most.max()))
        alike = _percent(len(text), length, distances).tolist()
        near = np.flatnonzero(distances <= most).tolist()
        return [(alike[at], ids[low + at]) for at in near]


def _search(
    kernel: Kernel | None, segment: Segment, gone: Bits, text: str, percent: int
) -> Hits:
    if kernel is not None and segment.codes.dtype == np.uint16:
        return kernel.find(segment, gone, text, percent)
    return scan(segment, gone, text, percent)


def _best(segment: Segment, found: Hits, length: int, most: int) -> tuple[Near, bool]:
    docs, distances = (each.astype(np.int64) for each in found)
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    percent = _percent(length, lengths, distances)
    is_all = len(docs) <= most
    if not is_all:
        ids = segment.ids[docs].view(">u8")
        order = np.lexsort((ids[:, 1], ids[:, 0], -percent))[:most]
        docs, percent = docs[order], percent[order]
    named = zip(percent.tolist(), map(segment.id_of, docs.tolist()), strict=True)
    return list(named), is_all


def _percent(length: int, lengths: Numbers, distances: Numbers) -> Numbers:
    longest = np.maximum(lengths, length)
    percent: Numbers = (longest - distances) * 100 // longest
    return percent
