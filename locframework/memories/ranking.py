"""Puts the entries that are like one text in order, and scores no more than it must."""

from collections.abc import Collection, Mapping, Sequence
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
from .search_records import MatchSource, ValueStatus

Bound = tuple[int] | tuple[int, bool, int] | None
"""No entry beyond ranks before it; None: there is none. A number alone is a score,
and what ranks after it has a worse one."""


class Worth(NamedTuple):
    """What a source text is worth to a text."""

    score: Score
    rank: Rank  # of entries in another context
    rank_in_context: Rank


class Scorer:
    """Scores entries; each source text is folded once for all texts."""

    def __init__(
        self, distance: Distance, memories: Mapping[str, AssignedMemory]
    ) -> None:
        self._distance = distance
        self._memories = memories
        self._folds: dict[str, Folds] = {}  # by source text
        self.sources: dict[str, MatchSource] = {}
        self.least_penalty = min(
            (each.assignment.penalty for each in memories.values()), default=0
        )

    def learn(self, sources: Collection[MatchSource]) -> None:
        """Know the sources of these entries; others are not scored."""
        self.sources.update((each.entry_id, each) for each in sources)

    def know_only(self, sources: Mapping[str, MatchSource]) -> None:
        """Know these, by entry id, and no others."""
        self.sources = dict(sources)
        self._folds.clear()

    def folds(self, entry_id: str) -> Folds:
        """The folded source of an entry that is known."""
        text = self.sources[entry_id].source_text
        known = self._folds.get(text)
        if known is None:
            known = self._folds[text] = folds_of(text)
        return known

    def worth(self, text: Folds, hit: Hit) -> Worth | None:
        """What an entry that is known is worth; None when it is not to be shown."""
        assigned = self._memories[hit.memory_id]
        memory, assignment = assigned.memory, assigned.assignment
        found = score(
            text,
            self.folds(hit.entry_id),
            hit.percent,
            memory.penalties,
            assignment.penalty,
            self._distance,
        )
        if found.match_percentage < memory.min_match_percentage:
            return None
        other, same = (
            rank_of(found, is_same_context=is_same, priority=assignment.priority)
            for is_same in (False, True)
        )
        return Worth(found, other, same)


class Ranking:
    """The entries that are like one text, of those that were found."""

    def __init__(self, scorer: Scorer, text: str, context: str, found: Found) -> None:
        self._scorer = scorer
        self._text = folds_of(text)
        self._context = context
        self._found = found
        # by memory and source text, of which there may be thousands of entries
        self._worth: dict[str, dict[str, Worth | None]] = {}
        self._scored: list[Rated] = []
        self._next = 0  # of the hits, which are the best first

    def first(self, many: int) -> tuple[list[Rated], Bound]:
        """The ``many`` that rank first, or all there are, and what bounds the others.

        They are those that scoring every entry would give.
        """
        while self._next < len(self._found.hits):
            if len(self._scored) > many and len(self._final()) > many:
                break
            self._score_alike()
        bound = self._bound()
        order = best_first(self._final())
        return order[:many], (order[many].rank if len(order) > many else bound)

    def _bound(self) -> Bound:
        """What is not scored yet is at most as alike as the next, or as the last."""
        hits, least = self._found.hits, self._scorer.least_penalty
        if self._next == len(hits) and (self._found.is_complete or not hits):
            return None
        next_ = hits[min(self._next, len(hits) - 1)]
        return (-max(0, next_.percent - least),)

    def _final(self) -> Sequence[Rated]:
        """Those that are scored, and that nothing else can come before."""
        bound = self._bound()
        if bound is None:
            return self._scored
        return [each for each in self._scored if each.rank < bound]

    def _score_alike(self) -> None:
        """Score the hits that are as alike as the next."""
        hits = self._found.hits
        percent = hits[self._next].percent
        while self._next < len(hits) and hits[self._next].percent == percent:
            self._rate(hits[self._next])
            self._next += 1

    def _rate(self, hit: Hit) -> None:
        """Keep the entry with its score, if it is to be shown."""
        source = self._scorer.sources.get(hit.entry_id)
        if source is None:  # gone since it was found
            return
        known, text = self._worth.setdefault(hit.memory_id, {}), source.source_text
        if text not in known:
            known[text] = self._scorer.worth(self._text, hit)
        worth = known[text]
        if worth is not None:
            found, other, same = worth
            rank = same if source.context == self._context else other
            rated = Rated(hit.entry_id, hit.memory_id, found, rank, source.updated_at)
            self._scored.append(rated)


def comes_before(rank: Rank, status: ValueStatus, bound: Bound) -> bool:
    """Whether a value of an entry is shown before all that is beyond the bound."""
    if bound is None or rank < bound:
        return True
    return rank == bound and status == "approved"
