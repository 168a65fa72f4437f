"""The folded texts of a memory at one moment, and the search for similar ones."""

from collections.abc import Iterable, Sequence
from itertools import repeat

import numpy as np

from locframework.ports import Found, Hit, Wanted

from .building import Noted, arrays_of
from .entries import Bits, Numbers, spelled
from .kernel import Hits, Kernel
from .scanning import scan
from .segment import Segment
from .view import View


class TextView(View[Segment, Noted]):
    """Texts that can be asked what is like one."""

    def segment_of(
        self, ids: Sequence[bytes], told: Sequence[Noted], removed: Iterable[bytes] = ()
    ) -> Segment:
        return Segment(arrays_of(ids, told, removed), self.revision)

    def near(
        self, kernel: Kernel | None, texts: Sequence[str], wanted: Wanted, most: int
    ) -> list[Found]:
        """For each text the best of the memory wanted. No text is empty."""
        found = [
            _near(kernel, segment, gone, texts, wanted, most)
            for segment, gone in self.all_parts
        ]
        return together(found, len(texts), most)


def together(found: Sequence[list[Found]], texts: int, most: int) -> list[Found]:
    """For each of so many texts the best of what was found in several places."""
    if len(found) == 1:
        return found[0]
    return [_together([each[at] for each in found], most) for at in range(texts)]


def _together(found: Sequence[Found], most: int) -> Found:
    hits = [hit for each in found for hit in each.hits]
    hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
    is_complete = len(hits) <= most and all(each.is_complete for each in found)
    return Found(hits[:most], is_complete)


def _near(
    kernel: Kernel | None,
    segment: Segment,
    gone: Bits,
    texts: Sequence[str],
    wanted: Wanted,
    most: int,
) -> list[Found]:
    percent = max(1, wanted.least_percent)
    found: list[Found] = []
    while left := texts[len(found) :]:
        if kernel is not None and segment.codes.dtype == np.uint16:
            hits = kernel.find(segment, gone, left, percent)
        else:
            hits = scan(segment, gone, left[0], percent)
        these = left[: len(hits.ends)]
        found += _best(wanted.memory_id, segment, hits, these, most)
    return found


def _best(
    memory_id: str, segment: Segment, found: Hits, texts: Sequence[str], most: int
) -> list[Found]:
    """All texts' hits are put in order together: numpy takes its time for each call."""
    if not len(found.docs):  # as in most of many memories
        return [Found([], is_complete=True) for _ in texts]
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
    told = spelled(ids), percent.tolist(), segment.notes_of(docs)
    hits = list(map(Hit, repeat(memory_id), *told))
    last = np.cumsum(np.minimum(many, most)).tolist()
    return [
        Found(hits[begin:end], own <= most)
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


def _percent(length: Numbers, lengths: Numbers, distances: Numbers) -> Numbers:
    longest = np.maximum(lengths, length)
    percent: Numbers = (longest - distances) * 100 // longest
    return percent
