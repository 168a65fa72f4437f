"""Folds texts, scores matches and puts them in order (decisions 2.5, items 2 to 5).

docs/how-to/translation-memory.md works an example.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import msgspec

from locframework.languages import collapse_white_space, fold, folded, nfc
from locframework.memories.records import AssignedMemory, Penalties, TranslationMemory

from .port import Found, Hit
from .records import MatchPenalty, MatchSource, MatchValue

Distance = Callable[[str, str], int]
Rank = tuple[int, bool, int]
"""Negative match percentage, another context, priority: the least comes first."""


class Question(NamedTuple):
    """A text, and its context: of equal scores, entries of that context come first."""

    text: str
    context: str = ""


MATCHES_PER_LANGUAGE = 10  # service.md, Limits

# What ends or halts a sentence, in the scripts that have marks of their own for it.
# Brackets, quotes, per cent and the like carry meaning and stay.
TRAILING_PUNCTUATION = ".,:;!?…‥·。、，．：；！？｡､،؛؟۔।॥՝՞՜։፡።፣፤፥፦፧၊။។៕༎༏།꓿"

_PUNCTUATION_AND_SPACE = TRAILING_PUNCTUATION + " "


def cut_punctuation(text: str) -> tuple[str, str]:
    """Return a text without its trailing punctuation, and what was cut off. White space
    is folded already; that before and between the marks is cut too (French ``Quoi ?``).
    A text of nothing else is not cut: ``?`` is not ``!``."""
    kept = text.rstrip(_PUNCTUATION_AND_SPACE)
    return (kept, text[len(kept) :]) if kept else (text, "")


def match_fold(text: str) -> str:
    """Return the text as matching compares it."""
    return cut_punctuation(folded(text))[0]


class Score(msgspec.Struct, frozen=True, gc=False):
    """The score of a match, and the penalties in it."""

    raw_percentage: int
    match_percentage: int
    penalties: list[MatchPenalty]


class Rated(msgspec.Struct, frozen=True, gc=False):
    """A scored entry, with what orders it in every language."""

    entry_id: str
    memory: TranslationMemory
    source: MatchSource
    score: Score
    rank: Rank

    def is_before(self, rank: Rank, updated_at: str, entry_id: str) -> bool:
        """Return whether it precedes another entry, in the order of ``best_first``."""
        if self.rank != rank:
            return self.rank < rank
        if self.source.updated_at != updated_at:
            return self.source.updated_at > updated_at
        return self.entry_id < entry_id


RatedValue = tuple[Rated, MatchValue]
"""A scored entry with its value in one language."""


class Folds(msgspec.Struct, frozen=True, gc=False):
    """A text folded in every way that a score needs."""

    text: str
    full: str
    without_case: str
    without_white_space: str
    cut: str  # the punctuation at the end, without white space


def folds_of(text: str) -> Folds:
    """Return the folds of a text, which is scored many times."""
    cased = fold(text)
    spaced, cut = cut_punctuation(collapse_white_space(nfc(text)))
    is_plain = text.isascii()  # then the order of the steps does not matter
    full = (
        spaced.lower() if is_plain else cut_punctuation(collapse_white_space(cased))[0]
    )
    return Folds(
        text,
        full,
        spaced,
        cased.rstrip(TRAILING_PUNCTUATION) or cased,
        cut.replace(" ", ""),
    )


def score(
    text: Folds,
    source: Folds,
    raw_percentage: int,
    points: Penalties,
    tm_penalty: int,
    distance: Distance,
) -> Score:
    """Return the score of an entry whose folded source has ``raw_percentage``. A kind
    of penalty applies if its folding step raised the similarity (punctuation: if the
    parts cut off differ). Equal texts have only the penalty of the memory."""
    penalties = []
    if text.text != source.text:
        alike = text.full, source.full
        if points.case and _is_more_alike(
            *alike, text.without_case, source.without_case, distance
        ):
            penalties.append(MatchPenalty("case", points.case))
        if points.whitespace and _is_more_alike(
            *alike, text.without_white_space, source.without_white_space, distance
        ):
            penalties.append(MatchPenalty("whitespace", points.whitespace))
        if points.trailing_punctuation and text.cut != source.cut:
            off = points.trailing_punctuation
            penalties.append(MatchPenalty("trailingPunctuation", off))
    if tm_penalty:
        penalties.append(MatchPenalty("tm", tm_penalty))
    net = raw_percentage - sum(penalty.points for penalty in penalties)
    return Score(raw_percentage, max(0, min(100, net)), penalties)


def best_first(entries: Iterable[Rated]) -> list[Rated]:
    """Return entries by rank, time and id (2.5.4); approval is up to ``best``."""
    by_id = sorted(entries, key=attrgetter("entry_id"))
    by_id.sort(key=attrgetter("source.updated_at"), reverse=True)
    by_id.sort(key=attrgetter("rank"))
    return by_id


def best(
    order: Iterable[Rated], values: Mapping[str, Iterable[MatchValue]]
) -> dict[str, list[RatedValue]]:
    """Return the values of one text's matches by language, best first, at most ten: of
    equal values the best, of one rank approved ones first. ``values`` are by
    ``MatchSource.values_digest``."""
    kept: defaultdict[str, dict[str, RatedValue]] = defaultdict(dict)
    for _, entries in groupby(order, key=attrgetter("rank")):
        every = [
            (entry, value)
            for entry in entries
            for value in values[entry.source.values_digest]
        ]
        every.sort(key=lambda each: each[1].status != "approved")
        for entry, value in every:
            there = kept[value.language_code]
            if len(there) < MATCHES_PER_LANGUAGE:
                there.setdefault(value.value, (entry, value))
    return {tag: list(there.values()) for tag, there in kept.items()}


def _is_more_alike(
    one: str, other: str, first: str, second: str, distance: Distance
) -> bool:
    """Whether the first pair is more alike than the second; exact, without division."""
    if one == first and other == second:
        return False
    apart = distance(one, other)
    if not apart:  # equal: the others are not, or the texts were
        return first != second
    longest, longer = max(len(one), len(other)), max(len(first), len(second))
    return apart * longer < distance(first, second) * longest


Bound = tuple[int] | Rank | None
"""A rank that no further entry precedes; None: there is no further entry.

A tuple of one number is a score: entries that rank after it have a worse one.
"""


HITS_PER_MATCH = 2  # that are scored: penalties change their order


class Ranking:
    """The hits of one text in order, scored from the best on as far as needed. Of
    entries with the same values in every language, the best represents all."""

    def __init__(
        self,
        asked: Question,
        found: Found,
        memories: Mapping[str, AssignedMemory],
        folds_of: Callable[[str], Folds],
        distance: Distance,
    ) -> None:
        self._text = folds_of(asked.text)
        self._context = asked.context
        self._hits = found.hits  # the best first
        self._memories = memories
        self._folds_of = folds_of
        self._distance = distance
        self._least_penalty = least_penalty(memories)
        self._end = len(found.hits)  # before it, all hits of the same percentage
        if not found.is_complete and found.hits:
            self._end = self._first_of(found.hits[-1].percent)
        self._next = 0  # the first hit that is not scored
        # by memory and source text, which thousands of entries may share
        self._scores: dict[tuple[str, str], Score] = {}
        self._best: dict[str, Rated] = {}  # by values_digest

    def next_hits(self, many: int) -> Sequence[Hit]:
        """Return the hits to score next, until ``first(many)`` has so many."""
        final = self._final() if len(self._best) >= many else []
        if len(final) >= many or self._next == self._end:
            return []
        # as many again as were scored: thousands may have the same values
        end = self._next + max(HITS_PER_MATCH * many, self._next)
        if end < self._end:  # all of one percentage
            end = min(self._end, self._first_of(self._hits[end].percent - 1))
        return self._hits[self._next : min(end, self._end)]

    def rate(self, hits: Sequence[Hit], sources: Mapping[str, MatchSource]) -> None:
        """Score the ``next_hits``. Those without a source have been removed."""
        self._next += len(hits)
        for hit in hits:
            source = sources.get(hit.entry_id)
            if source is None:
                continue
            assigned = self._memories[hit.memory_id]
            score = self._score(hit, source.source_text, assigned)
            if score.match_percentage < assigned.memory.min_match_percentage:
                continue
            is_other = source.context != self._context
            priority = assigned.assignment.priority
            rank = -score.match_percentage, is_other, priority
            there = self._best.get(source.values_digest)
            if there is None or not there.is_before(
                rank, source.updated_at, hit.entry_id
            ):
                self._best[source.values_digest] = Rated(
                    hit.entry_id, assigned.memory, source, score, rank
                )

    def first(self, many: int) -> tuple[list[Rated], Bound]:
        """Return the ``many`` that rank first of all entries, and the bound of the
        others."""
        order = best_first(self._final())
        return order[:many], order[many].rank if len(order) > many else self._bound()

    def _bound(self) -> Bound:
        """What is not scored yet has at most the percentage of the next hit."""
        if self._next == len(self._hits):
            return None
        return (-max(0, self._hits[self._next].percent - self._least_penalty),)

    def _final(self) -> list[Rated]:
        """Those that are scored, and that no other hit can precede."""
        bound = self._bound()
        return [e for e in self._best.values() if bound is None or e.rank < bound]

    def _score(self, hit: Hit, source_text: str, assigned: AssignedMemory) -> Score:
        known = self._scores.get((hit.memory_id, source_text))
        if known is None:
            known = self._scores[hit.memory_id, source_text] = score(
                self._text,
                self._folds_of(source_text),
                hit.percent,
                assigned.memory.penalties,
                assigned.assignment.penalty,
                self._distance,
            )
        return known

    def _first_of(self, percent: int) -> int:
        return bisect_left(self._hits, -percent, key=lambda hit: -hit.percent)


def least_penalty(memories: Mapping[str, AssignedMemory]) -> int:
    """Return what every match loses at least."""
    return min((each.assignment.penalty for each in memories.values()), default=0)


def comes_before(found: RatedValue, bound: Bound) -> bool:
    """Return whether a value precedes all that is beyond the bound."""
    entry, value = found
    if bound is None or entry.rank < bound:
        return True
    return entry.rank == bound and value.status == "approved"
