"""Folds texts, scores matches and puts them in order (decisions 2.5, items 2 to 5).

docs/translation-memory.md works an example.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import msgspec

from locframework.fields import Timestamp
from locframework.languages import collapse_white_space, fold, folded, nfc
from locframework.memories.records import AssignedMemory, Penalties

from .port import Found, Hit, MemoryTextStore
from .records import Match, MatchPenalty, MatchSource, MatchValue, ValueStatus

Distance = Callable[[str, str], int]
Rank = tuple[int, bool, int]
"""Negative match percentage, another context, priority: the least comes first."""

MATCHES_PER_LANGUAGE = 10  # service.md, Limits

# What ends or halts a sentence, in the scripts that have marks of their own for it.
# Brackets, quotes, per cent and the like carry meaning and stay.
TRAILING_PUNCTUATION = ".,:;!?…‥·。、，．：；！？｡､،؛؟۔।॥՝՞՜։፡።፣፤፥፦፧၊။។៕༎༏།꓿"

_PUNCTUATION_AND_SPACE = TRAILING_PUNCTUATION + " "


def cut_punctuation(text: str) -> tuple[str, str]:
    """Return a text without its trailing punctuation, and what was cut off.

    White space is folded already; that before and between the marks is cut too
    (French ``Quoi ?``). A text of nothing else is not cut: ``?`` is not ``!``.
    """
    kept = text.rstrip(_PUNCTUATION_AND_SPACE)
    return (kept, text[len(kept) :]) if kept else (text, "")


def cut_marks(text: str) -> str:
    """Return the text without the punctuation at its very end."""
    return text.rstrip(TRAILING_PUNCTUATION) or text


def match_fold(text: str) -> str:
    """Return the text as matching compares it (decisions 2.5.4)."""
    return cut_punctuation(folded(text))[0]


class Score(msgspec.Struct, frozen=True, gc=False):
    """The score of a match, and the penalties in it."""

    raw_percentage: int
    match_percentage: int
    penalties: list[MatchPenalty]


class Rated(msgspec.Struct, frozen=True, gc=False):
    """A scored entry, with what orders it in every language."""

    entry_id: str
    memory_id: str
    score: Score
    rank: Rank
    updated_at: Timestamp
    values_digest: str  # equal for entries with the same values in every language

    def is_before(self, rank: Rank, updated_at: str, entry_id: str) -> bool:
        """Return whether it precedes another entry, in the order of ``best_first``."""
        if self.rank != rank:
            return self.rank < rank
        if self.updated_at != updated_at:
            return self.updated_at > updated_at
        return self.entry_id < entry_id


def rank_of(score: Score, *, is_same_context: bool, priority: int) -> Rank:
    """Return the rank; after it, approval and time order matches."""
    return -score.match_percentage, not is_same_context, priority


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
    return Folds(text, full, spaced, cut_marks(cased), cut.replace(" ", ""))


def score(
    text: Folds,
    source: Folds,
    raw_percentage: int,
    points: Penalties,
    tm_penalty: int,
    distance: Distance,
) -> Score:
    """Return the score of an entry whose folded source has ``raw_percentage``.

    A kind of penalty applies if its folding step raised the similarity (punctuation:
    if the parts cut off differ). Equal texts have only the penalty of the memory.
    """
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
    by_id.sort(key=attrgetter("updated_at"), reverse=True)
    by_id.sort(key=attrgetter("rank"))
    return by_id


def best(
    order: Iterable[Rated],
    values: Mapping[str, Iterable[MatchValue]],
    match_of: Callable[[Rated], Callable[[MatchValue], Match]],
) -> dict[str, list[Match]]:
    """Return the matches of one text by language, best first, at most ten.

    ``values`` are by ``Rated.values_digest``. Of entries with the same value the best
    is kept; of one rank, approved values come before drafts. ``match_of`` makes a match
    of an entry and a value.
    """
    kept: defaultdict[str, dict[str, Match]] = defaultdict(dict)

    def keep(value: MatchValue, make: Callable[[MatchValue], Match]) -> None:
        there = kept[value.language_code]
        if len(there) < MATCHES_PER_LANGUAGE and value.value not in there:
            there[value.value] = make(value)

    for _, entries in groupby(order, key=attrgetter("rank")):
        drafts: list[tuple[MatchValue, Callable[[MatchValue], Match]]] = []
        for entry in entries:
            make = match_of(entry)
            for value in values[entry.values_digest]:
                if value.status == "approved":
                    keep(value, make)
                else:
                    drafts.append((value, make))
        for value, make in drafts:
            keep(value, make)
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
