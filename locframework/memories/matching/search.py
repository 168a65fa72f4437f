"""Finds the matches of texts, asking the matcher for no more hits than needed."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, groupby

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable
from locframework.memories.records import AssignedMemory
from locframework.transactions import Transactions

from .port import Found, Matcher, MemoryTextStore, Wanted
from .records import Match, MatchSource, MatchValue
from .scoring import (
    MATCHES_PER_LANGUAGE,
    Bound,
    Folds,
    Question,
    Ranking,
    Rated,
    RatedValue,
    best,
    comes_before,
    folds_of,
    least_penalty,
)

log = logging.getLogger("locframework.plugins")

FIRST_HITS = 100  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 400  # of each text that needs more
MORE_HITS_TOGETHER = 20_000  # or so many of all these together
EVERY_HIT = 1 << 40
STEP = 10  # times as many entries are read where those before were not enough


ByLanguage = dict[str, list[Match]]
Open = Mapping[Question, Set[str]]
"""The languages whose ten matches are not known yet."""


def find_matches(
    matcher: Matcher,
    store: MemoryTextStore,
    transactions: Transactions,
    memories: Mapping[str, AssignedMemory],
    wanted: Sequence[Wanted],
    questions: Mapping[Question, str],
    tags: Collection[str],
    *,
    only_approved: bool = False,
) -> dict[Question, ByLanguage]:
    """Return for each question, with its folded text, matches by language tag.

    The matcher is first asked for some hits. Only for texts and languages whose ten
    could still change, it is asked for more, and at last for all: the only entry that
    has the language may be behind any number of equal ones that have not.
    """
    search = _Search(
        matcher, store, transactions, memories, wanted, questions, only_approved
    )
    if wanted and tags:
        search.run({asked: {*tags} for asked in questions if questions[asked]})
    return search.done


@dataclass(eq=False, repr=False)
class _Search:
    _matcher: Matcher
    _store: MemoryTextStore
    _transactions: Transactions
    _memories: Mapping[str, AssignedMemory]
    _wanted: Sequence[Wanted]
    _folded: Mapping[Question, str]
    _only_approved: bool

    def __post_init__(self) -> None:
        self._folds: dict[str, Folds] = {}
        self._least: dict[Question, int] = {}  # the percentage that more hits need
        self.done: dict[Question, ByLanguage] = {asked: {} for asked in self._folded}

    def run(self, open_: Open) -> None:
        """Fill ``done`` for these questions and languages."""
        open_ = self._without_empty_languages(self._find(open_, FIRST_HITS))
        texts = len({self._folded[asked] for asked in open_}) or 1
        open_ = self._find(open_, max(MORE_HITS, MORE_HITS_TOGETHER // texts))
        text_of = self._folded.__getitem__
        for _, alike in groupby(sorted(open_, key=text_of), key=text_of):
            # text by text: each may have a million hits
            self._find({asked: open_[asked] for asked in alike}, EVERY_HIT)

    def _without_empty_languages(self, open_: Open) -> Open:
        """Leave out languages that have no value in any entry."""
        found = {tag for matches in self.done.values() for tag in matches}
        unknown = set().union(*open_.values()) - found
        if not unknown:
            return open_
        empty = unknown - self._store.languages_with_values(self._memories, unknown)
        left = {asked: tags - empty for asked, tags in open_.items()}
        return {asked: tags for asked, tags in left.items() if tags}

    def _find(self, open_: Open, limit: int) -> Open:
        if not open_:
            return {}
        least = min(self._least.get(asked, 0) for asked in open_)
        wanted = [
            replace(each, least_percent=max(each.least_percent, least))
            for each in self._wanted
        ]
        texts = list(dict.fromkeys(self._folded[asked] for asked in open_))
        by_text = dict(zip(texts, self._hits_of(wanted, texts, limit), strict=True))
        # within one snapshot, equal digests mean equal values
        with self._transactions.snapshot():
            rankings = {
                asked: Ranking(
                    asked, found, self._memories, self._folds_of, self._matcher.distance
                )
                for asked in open_
                if (found := by_text[self._folded[asked]]).hits
            }
            open_ = {asked: open_[asked] for asked in rankings}
            hits = max((len(each.hits) for each in by_text.values()), default=0)
            return self._read(open_, rankings, hits)

    def _hits_of(
        self, wanted: Sequence[Wanted], texts: Sequence[str], limit: int
    ) -> list[Found]:
        """The hits of each text. A plugin's failure is Unavailable."""
        try:
            found = self._matcher.find(self._store, wanted, texts, limit)
            if len(found) != len(texts):
                raise ValueError(f"{len(found)} results for {len(texts)} texts")
        except Unavailable:
            raise
        except PLUGIN_EXCEPTIONS as error:
            name = self._matcher.name
            log.exception("the matcher %s failed", name)
            raise Unavailable(f"the matcher {name} failed") from error
        return found

    def _read(
        self, open_: Open, rankings: Mapping[Question, Ranking], hits: int
    ) -> Open:
        """Add to ``done`` what is final with the entries that rank first. The first ten
        nearly always suffice, but thousands may be alike and have no value in a
        language, or the same. Return what is open when all are read."""
        sources: dict[str, MatchSource] = {}  # by id; removed entries have none
        values: dict[str, list[MatchValue]] = {}  # by MatchSource.values_digest
        many = 0
        while open_ and many < hits:
            many = many * STEP or MATCHES_PER_LANGUAGE
            while unrated := {
                asked: some
                for asked in open_
                if (some := rankings[asked].next_hits(many))
            }:
                ids = {hit.entry_id for some in unrated.values() for hit in some}
                if unread := ids - sources.keys():
                    sources |= self._store.match_sources(unread)
                for asked, some in unrated.items():
                    rankings[asked].rate(some, sources)
            firsts = {asked: rankings[asked].first(many) for asked in open_}
            entries = chain.from_iterable(order for order, _ in firsts.values())
            self._read_values(entries, set().union(*open_.values()), values)
            left: dict[Question, Set[str]] = {}
            for asked, tags in open_.items():
                order, bound = firsts[asked]
                kept = best(order, values)
                further = _open_tags(tags, kept, bound)
                self.done[asked] |= {
                    tag: list(map(_match, kept[tag]))
                    for tag in kept.keys() & tags - further
                }
                if further:
                    left[asked] = further
                    self._least[asked] = min(
                        self._least_percent(kept.get(tag, [])) for tag in further
                    )
            open_ = left
        return open_

    def _read_values(
        self,
        entries: Iterable[Rated],
        tags: Collection[str],
        values: dict[str, list[MatchValue]],
    ) -> None:
        unread = {
            each.source.values_digest: each.entry_id
            for each in entries
            if each.source.values_digest not in values
        }
        found = self._store.applied_values(unread.values(), tags) if unread else {}
        for digest, entry_id in unread.items():
            values[digest] = [
                each
                for each in found.get(entry_id, [])
                if each.status == "approved" or not self._only_approved
            ]

    def _folds_of(self, text: str) -> Folds:
        known = self._folds.get(text)
        if known is None:
            known = self._folds[text] = folds_of(text)
        return known

    def _least_percent(self, kept: Sequence[RatedValue]) -> int:
        """The percentage that a further hit needs to be among the ten of a language."""
        if len(kept) < MATCHES_PER_LANGUAGE:
            return 0
        last = kept[-1][0].score.match_percentage
        return last and last + least_penalty(self._memories)


def _open_tags(
    tags: Set[str], kept: Mapping[str, Sequence[RatedValue]], bound: Bound
) -> set[str]:
    """The languages among whose ten something beyond the bound could be."""
    if bound is None:
        return set()
    return {
        tag
        for tag in tags
        if len(there := kept.get(tag, ())) < MATCHES_PER_LANGUAGE
        or not comes_before(there[-1], bound)
    }


def _match(found: RatedValue) -> Match:
    entry, value = found
    return Match(
        entry_id=entry.entry_id,
        tm_id=entry.memory.id,
        tm_name=entry.memory.name,
        source_text=entry.source.source_text,
        value=value.value,
        status=value.status,
        context=entry.source.context,
        match_percentage=entry.score.match_percentage,
        raw_percentage=entry.score.raw_percentage,
        penalties=entry.score.penalties,
        updated_at=entry.source.updated_at,
    )
