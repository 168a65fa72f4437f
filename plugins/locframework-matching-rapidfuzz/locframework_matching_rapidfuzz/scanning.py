"""The same search as kernel.c, in numpy and rapidfuzz: where nothing was compiled."""

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from .kernel import Hits
from .segments import Bits, Numbers
from .texts import BLOCK, TOKENS, Segment, tokens_of

STAY = 0.5  # of the threshold, when long lists are not read


def scan(segment: Segment, gone: Bits, text: str, percent: int) -> Hits:
    """Every text at least so similar. The text is not empty."""
    low = max(1, -(-len(text) * percent // 100))
    high = min(segment.longest, len(text) * 100 // percent)
    if low > high:
        return _distances(segment, text, percent, np.empty(0, np.int64))
    first, last = int(segment.starts[low]), int(segment.starts[high + 1])
    left = [
        _survivors(segment, block, first, last, text, percent)
        for block in range(first // BLOCK, -(-last // BLOCK))
    ]
    docs = np.concatenate([np.empty(0, np.int64), *left])
    docs = docs[gone[docs >> 3] >> (docs & 7) & 1 == 0]
    return _distances(segment, text, percent, docs)


def edits(length: int, other: NDArray[np.int64], percent: int) -> NDArray[np.int64]:
    """The most edits that texts of these lengths may be apart."""
    return (100 - percent) * np.maximum(length, other) // 100


def _survivors(
    segment: Segment, block: int, first: int, last: int, text: str, percent: int
) -> Numbers:
    """Those of the block, from first to before last, that share enough pairs."""
    base = block * BLOCK
    begin, end = max(first - base, 0), min(last - base, BLOCK, segment.count - base)
    if begin >= end:
        return np.empty(0, np.int64)
    bounds = segment.offsets[base + begin : base + end + 1]
    lengths = np.diff(bounds).astype(np.int64)
    shared = np.maximum(len(text), lengths) - 1
    shared -= 2 * edits(len(text), lengths, percent)
    tokens, uncounted = tokens_of(segment.coded(text))
    shared -= uncounted
    threshold = int(shared.min())
    if threshold < 1:
        return np.arange(base + begin, base + end)
    ends = segment.ends[block * (TOKENS + 1) : (block + 1) * (TOKENS + 1)]
    of_block = segment.lists[int(segment.bases[block]) :]
    lists = [
        of_block[first:last]
        for first, last in zip(
            ends[tokens].tolist(), ends[tokens + 1].tolist(), strict=True
        )
    ]
    bounds = np.array([begin, end - 1], np.uint16)
    if begin or end < min(BLOCK, segment.count - base):
        parts = [whole.searchsorted(bounds).tolist() for whole in lists]
        lists = [
            whole[low : high + 1]
            for whole, (low, high) in zip(lists, parts, strict=True)
        ]
    lists.sort(key=len)
    unread = threshold - max(1, int(threshold * STAY + 0.5))
    read = np.concatenate(lists[: len(lists) - unread])
    seen = np.bincount(read, minlength=BLOCK + 1)[begin:end]
    return np.flatnonzero(seen >= shared - unread) + base + begin


def _distances(segment: Segment, text: str, percent: int, docs: Numbers) -> Hits:
    if not len(docs):
        return _hits(docs, docs)
    lengths = (segment.offsets[docs + 1] - segment.offsets[docs]).astype(np.int64)
    most = edits(len(text), lengths, percent)
    texts = segment.texts_of(docs.tolist())
    distances = distances_of(text, texts, int(most.max()))
    near = distances <= most
    return _hits(docs[near], distances[near])


def _hits(docs: Numbers, distances: Numbers) -> Hits:
    ends = np.array([len(docs)], np.uint64)
    return Hits(docs.astype(np.uint32), distances.astype(np.uint32), ends)


def distances_of(text: str, others: list[str], most: int) -> NDArray[np.int64]:
    """The Levenshtein distances; more than ``most`` where it is more."""
    table = process.cdist(
        [text], others, scorer=Levenshtein.distance, score_cutoff=most, dtype=np.int64
    )
    row: NDArray[np.int64] = table[0]
    return row
