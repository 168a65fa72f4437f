"""Puts the entries that are like one text in order, and scores no more than needed."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from locframework.memories.records import AssignedMemory

from .port import Found, Hit, MemoryTextStore
from .records import MatchSource, ValueStatus
from .scoring import (
    Distance,
    Folds,
    Rank,
    Rated,
    Score,
    best_first,
    folds_of,
    rank_of,
    score,
)

Bound = tuple[int] | tuple[int, bool, int] | None
"""A rank that no further entry precedes; None: there is no further entry.

A tuple of one number is a score: entries that rank after it have a worse one.
"""

SOURCES_AT_ONCE = 50  # of a text, at least

_NOTE_DECODER = msgspec.msgpack.Decoder(MatchSource)


class ScoredSource(NamedTuple):
    """The score of a source text for a text."""

    score: Score
    rank: Rank  # of entries in another context
    rank_in_context: Rank


class Scorer:
    """Scores hits as of one snapshot; folds each source text once for all texts.

    ``notes_are_current``: nothing was written since the matcher was asked, so that the
    notes of hits are right. Otherwise sources are read from the store.
    """

    def __init__(
        self,
        distance: Distance,
        memories: Mapping[str, AssignedMemory],
        store: MemoryTextStore,
        *,
        notes_are_current: bool,
    ) -> None:
        self._distance = distance
        self._memories = memories
        self._store = store
        self._notes_are_current = notes_are_current
        self._folds: dict[str, Folds] = {}  # by source text
        self.sources: dict[str, MatchSource] = {}  # by id; removed entries have none
        self.least_penalty = min(
            (each.assignment.penalty for each in memories.values()), default=0
        )

    def load_sources(self, hits: Iterable[Hit]) -> None:
        """Add the sources of these hits to ``sources``. At most one statement."""
        known, decode = self.sources, _NOTE_DECODER.decode
        unread = []
        for hit in hits:
            entry_id = hit.entry_id
            if entry_id in known:
                continue
            if not (self._notes_are_current and hit.note):
                unread.append(entry_id)
                continue
            try:
                known[entry_id] = decode(hit.note)
            except msgspec.MsgspecError:  # damaged
                unread.append(entry_id)
        if unread:
            known |= self._store.match_sources(unread)

    def score(self, text: Folds, hit: Hit, source_text: str) -> ScoredSource | None:
        """Return the score of a source text; None if it is below the memory's least."""
        assigned = self._memories[hit.memory_id]
        memory, assignment = assigned.memory, assigned.assignment
        source = self._folds.get(source_text)
        if source is None:
            source = self._folds[source_text] = folds_of(source_text)
        found = score(
            text,
            source,
            hit.percent,
            memory.penalties,
            assignment.penalty,
            self._distance,
        )
        if found.match_percentage < memory.min_match_percentage:
            return None
        priority = assignment.priority
        other = rank_of(found, is_same_context=False, priority=priority)
        same = rank_of(found, is_same_context=True, priority=priority)
        return ScoredSource(found, other, same)


class Ranking:
    """The hits of one text in order.

    Of entries with the same values in every language, the best represents all.
    """

    def __init__(self, scorer: Scorer, text: str, context: str, found: Found) -> None:
        self.scorer = scorer
        self._text = folds_of(text)
        self._context = context
        self._hits = found.hits  # the best first
        self._end = len(found.hits)  # before it, all hits of the same percentage
        if not found.is_complete and found.hits:
            self._end = self._first_of(found.hits[-1].percent)
        # by memory and source text, which thousands of entries may share
        self._scores: defaultdict[str, dict[str, ScoredSource | None]] = defaultdict(
            dict
        )
        self._best: dict[str, Rated] = {}  # by Rated.values_digest
        self._asked = 0  # of the hits: their sources are loaded
        self._next = 0  # the first hit that is not scored

    def unknown(self, many: int) -> Sequence[Hit]:
        """Return hits whose sources ``first(many)`` needs.

        To be called again when they are loaded, until there are none.
        """
        while self._next < self._end and not self._has(many):
            end = self._first_of(self._hits[self._next].percent - 1)
            if end > self._asked:
                begin = self._asked
                more = max(end, many, SOURCES_AT_ONCE, 2 * begin)
                self._asked = min(self._end, more)
                return self._hits[begin : self._asked]
            self._rate(self._hits[self._next : end])
            self._next = end
        return []

    def first(self, many: int) -> tuple[list[Rated], Bound]:
        """Return the ``many`` that rank first, or all, and the bound of the others.

        They are those that scoring every entry would give.
        """
        order = best_first(self._final())
        bound = order[many].rank if len(order) > many else self._bound()
        return order[:many], bound

    def _first_of(self, percent: int) -> int:
        """The index of the first hit of this percentage or less."""
        return bisect_left(self._hits, -percent, key=lambda hit: -hit.percent)

    def _bound(self) -> Bound:
        """What is not scored yet has at most the percentage of the next hit."""
        if self._next == len(self._hits):
            return None
        percent = self._hits[self._next].percent - self.scorer.least_penalty
        return (-max(0, percent),)

    def _has(self, many: int) -> bool:
        return len(self._best) >= many and len(self._final()) >= many

    def _final(self) -> Collection[Rated]:
        """Those that are scored, and that no other hit can precede."""
        bound = self._bound()
        if bound is None:
            return self._best.values()
        return [each for each in self._best.values() if each.rank < bound]

    def _rate(self, hits: Iterable[Hit]) -> None:
        sources, kept, context = self.scorer.sources, self._best, self._context
        for hit in hits:
            entry_id = hit.entry_id
            source = sources.get(entry_id)
            if source is None:  # removed since it was found
                continue
            known, text = self._scores[hit.memory_id], source.source_text
            if text not in known:
                known[text] = self.scorer.score(self._text, hit, text)
            scored = known[text]
            if scored is None:
                continue
            found, other, same = scored
            rank = same if source.context == context else other
            at, digest = source.updated_at, source.values_digest
            there = kept.get(digest)
            if there is None or not there.is_before(rank, at, entry_id):
                kept[digest] = Rated(entry_id, hit.memory_id, found, rank, at, digest)


def comes_before(rank: Rank, status: ValueStatus, bound: Bound) -> bool:
    """Return whether a value of an entry precedes all that is beyond the bound."""
    if bound is None or rank < bound:
        return True
    return rank == bound and status == "approved"
