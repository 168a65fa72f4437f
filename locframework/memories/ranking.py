"""Puts the entries that are like one text in order, and scores no more than it must."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from .matcher import Found, Hit
from .records import AssignedMemory
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
from .search_records import ValueStatus
from .sources import Sources

Bound = tuple[int] | tuple[int, bool, int] | None
"""No entry beyond ranks before it; None: there is none. A number alone is a score,
and what ranks after it has a worse one."""

AT_ONCE = 50  # sources of a text are read at first, unless more are as alike


class Worth(NamedTuple):
    """What a source text is worth to a text."""

    score: Score
    rank: Rank  # of entries in another context
    rank_in_context: Rank


class Scorer:
    """Scores entries; each source text is folded once for all texts."""

    def __init__(
        self,
        distance: Distance,
        memories: Mapping[str, AssignedMemory],
        sources: Sources,
    ) -> None:
        self._distance = distance
        self._memories = memories
        self._folds: dict[str, Folds] = {}  # by source text
        self.sources = sources  # entries without are not scored
        self.least_penalty = min(
            (each.assignment.penalty for each in memories.values()), default=0
        )

    def worth(self, text: Folds, hit: Hit, source_text: str) -> Worth | None:
        """What the text of an entry is worth; None when it is not to be shown."""
        assigned = self._memories[hit.memory_id]
        memory, assignment = assigned.memory, assigned.assignment
        found = score(
            text,
            self._folds_of(source_text),
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
        return Worth(found, other, same)

    def _folds_of(self, text: str) -> Folds:
        known = self._folds.get(text)
        if known is None:
            known = self._folds[text] = folds_of(text)
        return known


class Ranking:
    """The entries that are like one text, of those that were found.

    Of entries that say the same in every language the best stands for all.
    """

    def __init__(self, scorer: Scorer, text: str, context: str, found: Found) -> None:
        self._scorer = scorer
        self._text = folds_of(text)
        self._context = context
        self._hits = found.hits  # the best first
        self._end = len(found.hits)  # up to here all that is as alike was found
        if not found.is_complete and found.hits:
            self._end = self._first_like(found.hits[-1].percent)
        # by memory and source text, of which there may be thousands of entries
        self._worth: defaultdict[str, dict[str, Worth | None]] = defaultdict(dict)
        self._best: dict[str, Rated] = {}  # by what they say
        self._asked = 0  # of the hits: those whose sources are known by now
        self._next = 0  # the first of them that is not scored

    def unknown(self, many: int) -> Sequence[Hit]:
        """Those whose sources must be known before ``first(many)`` can be told.

        To be asked again when they are, until there are none.
        """
        while self._next < self._end and not self._has(many):
            end = self._first_like(self._hits[self._next].percent - 1)
            if end > self._asked:
                return self._ask(many, end)
            self._rate(self._hits[self._next : end])
            self._next = end
        return []

    def first(self, many: int) -> tuple[list[Rated], Bound]:
        """The ``many`` that rank first, or all there are, and what bounds the others.

        They are those that scoring every entry would give.
        """
        order = best_first(self._final())
        bound = order[many].rank if len(order) > many else self._bound()
        return order[:many], bound

    def _ask(self, many: int, end: int) -> Sequence[Hit]:
        """Those up to ``end`` or to the last of ``many``; more that stand behind
        them while they are few, or no more than were asked for before."""
        first, hits = self._asked, self._hits
        last = hits[min(many, self._end) - 1]
        end = max(end, self._first_like(last.percent - 1))
        most = max(AT_ONCE, 2 * first)
        if self._end <= most:
            end = self._end
        elif end < most:
            end = max(end, self._first_like(hits[most].percent))
        self._asked = end
        return hits[first:end]

    def _first_like(self, percent: int) -> int:
        """Where the hits begin that are so much alike, or less."""
        return bisect_left(self._hits, -percent, key=lambda hit: -hit.percent)

    def _bound(self) -> Bound:
        """What is not scored yet is at most as alike as the next."""
        if self._next == len(self._hits):
            return None
        percent = self._hits[self._next].percent - self._scorer.least_penalty
        return (-max(0, percent),)

    def _has(self, many: int) -> bool:
        """Whether so many are scored, and nothing else can come before them."""
        return len(self._best) >= many and len(self._final()) >= many

    def _final(self) -> Collection[Rated]:
        """Those that are scored, and that nothing else can come before."""
        bound = self._bound()
        if bound is None:
            return self._best.values()
        return [each for each in self._best.values() if each.rank < bound]

    def _rate(self, hits: Iterable[Hit]) -> None:
        """Keep those that are to be shown, and the best of those that say the same."""
        sources, kept, context = self._scorer.sources.known, self._best, self._context
        for hit in hits:
            entry_id = hit.entry_id
            source = sources.get(entry_id)
            if source is None:  # gone since it was found
                continue
            known, text = self._worth[hit.memory_id], source.source_text
            if text not in known:
                known[text] = self._scorer.worth(self._text, hit, text)
            worth = known[text]
            if worth is None:
                continue
            found, other, same = worth
            rank = same if source.context == context else other
            at, said = source.updated_at, source.said
            there = kept.get(said)
            if there is None or not there.is_before(rank, at, entry_id):
                kept[said] = Rated(entry_id, hit.memory_id, found, rank, at, said)


def comes_before(rank: Rank, status: ValueStatus, bound: Bound) -> bool:
    """Whether a value of an entry is shown before all that is beyond the bound."""
    if bound is None or rank < bound:
        return True
    return rank == bound and status == "approved"
