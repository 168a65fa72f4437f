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
        self, kernel: Kernel | None, texts: Sequence[str], percent: int, most: int
    ) -> list[tuple[Near, bool]]:
        """For each text the best, and whether they are all. No text is empty."""
        found = [
            _near(kernel, segment, gone, texts, percent, most)
            for segment, gone in self.all_parts
        ]
        if len(found) == 1:
            return found[0]
        return [
            _together([of_segment[at] for of_segment in found], most)
            for at in range(len(texts))
        ]


def _near(
    kernel: Kernel | None,
    segment: Segment,
    gone: Bits,
    texts: Sequence[str],
    percent: int,
    most: int,
) -> list[tuple[Near, bool]]:
    found: list[tuple[Near, bool]] = []
    while left := texts[len(found) :]:
        if kernel is not None and segment.codes.dtype == np.uint16:
            hits = kernel.find(segment, gone, left, percent)
        else:
            hits = scan(segment, gone, left[0], percent)
        found += _best(segment, hits, left[: len(hits.ends)], most)
    return found


def _best(
    segment: Segment, found: Hits, texts: Sequence[str], most: int
) -> list[tuple[Near, bool]]:
    """All texts' hits are put in order together: numpy takes its time for each call."""
    if not len(found.docs):  # as in most of many memories
        return [([], True)] * len(texts)
    ends = found.ends.astype(np.int64)
    many = ends - np.concatenate([[0], ends[:-1]])
    of = np.repeat(np.arange(len(texts)), many)
    length = np.fromiter(map(len, texts), np.int64, len(texts))[of]
    docs, distances = found.docs.astype(np.int64), found.distances.astype(np.int64)
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    percent = _percent(length, lengths, distances)
    if (many > most).any():
        near = _nearest(percent, many, most)
        of, docs, percent = of[near], docs[near], percent[near]
    ids = segment.ids[docs]
    halves = ids.view(">u8")
    order = np.lexsort((halves[:, 1], halves[:, 0], -percent, of))
    of = of[order]
    order = order[np.arange(len(of)) - np.searchsorted(of, of) < most]
    docs, percent, ids = docs[order], percent[order], ids[order]
    told = percent.tolist(), spelled(ids), segment.notes_of(docs)
    near_all = list(zip(*told, strict=True))
    last = np.cumsum(np.minimum(many, most)).tolist()
    return [
        (near_all[begin:end], own <= most)
        for begin, end, own in zip([0, *last[:-1]], last, many.tolist(), strict=True)
    ]


def _nearest(percent: Numbers, many: Numbers, most: int) -> Numbers:
    """Which can have a place: of a text with more than ``most`` those alone that are
    as alike as the last of the best."""
    ends = np.cumsum(many)
    chosen = np.ones(len(percent), np.bool_)
    for text in np.flatnonzero(many > most).tolist():
        own = slice(int(ends[text] - many[text]), int(ends[text]))
        chosen[own] = percent[own] >= np.partition(percent[own], -most)[-most]
    return np.flatnonzero(chosen)


def _together(found: Sequence[tuple[Near, bool]], most: int) -> tuple[Near, bool]:
    """The best of one text in several segments."""
    near = [each for own, _ in found for each in own]
    near.sort(key=itemgetter(1))
    near.sort(key=itemgetter(0), reverse=True)
    return near[:most], len(near) <= most and all(is_all for _, is_all in found)


def _percent(length: Numbers, lengths: Numbers, distances: Numbers) -> Numbers:
    longest = np.maximum(lengths, length)
    percent: Numbers = (longest - distances) * 100 // longest
    return percent
