"""The matcher ``rapidfuzz``: exact, from indexes in a folder."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from threading import Lock

import numpy as np
from rapidfuzz.distance import Levenshtein

from locframework.ports import Found, Hit, Segments, Unavailable, Wanted

from .arrays import Bits, Numbers, order_of, spelled
from .index import Indexes, MatchingSettings, Source, View
from .kernel import Hits, Kernel, compiled, scan
from .segments import Segment

LONG = 1000  # characters
NEAR = 31  # edits that a text and one like it may well be apart
PARTS = 4  # of the texts, for each thread: it waits for the interpreter after each


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


def near(
    kernel: Kernel | None,
    segment: Segment,
    gone: Bits,
    texts: Sequence[str],
    wanted: Wanted,
    most: int,
) -> list[Found]:
    """For each text the best of a segment of the memory wanted. No text is empty."""
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
    order = order_of(ids, -percent, of)
    of = of[order]
    order = order[np.arange(len(of)) - np.searchsorted(of, of) < most]
    percent, ids = percent[order], ids[order]
    hits = list(map(Hit, repeat(memory_id), spelled(ids), percent.tolist()))
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


class RapidfuzzMatcher:
    """The port Matcher. Opens nothing until the first text is looked for."""

    name = "rapidfuzz"

    def __init__(self, settings: MatchingSettings) -> None:
        self._settings = settings
        self._kernel = compiled() if settings.compiled else None
        folder = Path(settings.folder)
        self._indexes = Indexes(folder, settings.tail)
        self._lock = Lock()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether kernel.c does the work."""
        return self._kernel is not None

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """As the port says; several texts are looked for at once."""
        now = segments.revisions([each.memory_id for each in wanted])
        views = [
            (each, self._view(segments, each.memory_id, now[each.memory_id]))
            for each in wanted
            if each.memory_id in now
        ]

        def search(part: Sequence[str]) -> Mapping[str, Found]:
            found = [
                near(self._kernel, segment, gone, part, each, most)
                for each, view in views
                for segment, gone in view.all_parts
            ]
            return dict(zip(part, together(found, len(part), most), strict=True))

        threads = self._settings.threads or os.cpu_count() or 1
        # the longest first, so that no thread is left with them at the end
        different = sorted({text for text in texts if text}, key=len, reverse=True)
        parts = _parted(different, PARTS * threads)
        run = map if len(parts) < 2 or threads == 1 else self._threaded(threads).map
        found = {"": Found([], is_complete=True)}
        for of_part in run(search, parts):
            found |= of_part
        return [found[text] for text in texts]

    def distance(self, first: str, second: str) -> int:
        """The Levenshtein distance."""
        # they were mostly found to be alike: of long ones a narrow band is tried first
        hint = NEAR if len(first) > LONG else None
        return Levenshtein.distance(first, second, score_hint=hint)

    def forget(self, memory_id: str) -> None:
        """Remove the index of the memory."""
        self._indexes.forget(memory_id)

    def _view(self, segments: Segments, memory_id: str, revision: int) -> View:
        patience = self._settings.patience_seconds
        source = Source(segments, memory_id)
        try:
            view = self._indexes.view(source, revision, patience)
        except OSError as error:
            # strerror only: str(error) would show a path of the host (decisions 2.10)
            reason = f"the index of translation memory {memory_id} cannot be kept"
            raise Unavailable(f"{reason}: {error.strerror}") from error
        if view is None:
            reason = f"translation memory {memory_id} is being indexed"
            raise Unavailable(f"{reason}; ask again in a few seconds")
        return view

    def _threaded(self, threads: int) -> ThreadPoolExecutor:
        """Made on first use, and again in a process that was forked since."""
        with self._lock:
            if self._pool is None or self._pool[0] != os.getpid():
                pool = ThreadPoolExecutor(threads, "locframework-matching")
                self._pool = os.getpid(), pool
            return self._pool[1]


def _parted(texts: Sequence[str], most: int) -> list[list[str]]:
    enough = sum(map(len, texts)) // most + 1
    parts, length = list[list[str]](), enough
    for text in texts:
        if length >= enough:
            parts.append([])
            length = 0
        parts[-1].append(text)
        length += len(text)
    return parts
