"""Finds the matches of texts, asking the matcher for no more hits than needed."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable
from locframework.memories.records import AssignedMemory

from .port import Found, Matcher, MemoryTextStore, Wanted
from .records import Match, MatchValue
from .scoring import (
    MATCHES_PER_LANGUAGE,
    Bound,
    Ranking,
    Rated,
    Scorer,
    best,
    comes_before,
)

log = logging.getLogger("locframework.plugins")

FIRST_HITS = 100  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 400  # of each text that needs more
MORE_HITS_TOGETHER = 20_000  # or so many of all these together
EVERY_HIT = 1 << 40
STEP = 10  # times as many entries are read where those before were not enough


class Question(NamedTuple):
    """A text, and its context: of equal scores, entries of that context come first."""

    text: str
    context: str = ""


ByLanguage = dict[str, list[Match]]
Open = Mapping[Question, Set[str]]
"""The languages whose ten matches are not known yet."""


def find_matches(
    matcher: Matcher,
    store: MemoryTextStore,
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
    search = _Search(matcher, store, memories, wanted, questions, only_approved)
    if wanted and tags:
        search.run({asked: {*tags} for asked in questions if questions[asked]})
    return search.done


class _Search:
    """One request, and what is known so far."""

    def __init__(
        self,
        matcher: Matcher,
        store: MemoryTextStore,
        memories: Mapping[str, AssignedMemory],
        wanted: Sequence[Wanted],
        folded: Mapping[Question, str],
        only_approved: bool,
    ) -> None:
        self._matcher = matcher
        self._store = store
        self._memories = memories
        self._wanted = wanted
        self._folded = folded
        self._only_approved = only_approved
        self._least: dict[Question, int] = {}  # the percentage that more hits need
        self._is_in_block = store.is_in_block()  # a matcher may know later changes
        self._revisions = store.revisions(list(memories))  # before the matcher is asked
        self.done: dict[Question, ByLanguage] = {asked: {} for asked in folded}

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
        """Ask the matcher; return what is open then."""
        if not open_:
            return {}
        least = min(self._least.get(asked, 0) for asked in open_)
        wanted = [
            replace(each, least_percent=max(each.least_percent, least))
            for each in self._wanted
        ]
        texts = list(dict.fromkeys(self._folded[asked] for asked in open_))
        by_text = dict(zip(texts, self._hits_of(wanted, texts, limit), strict=True))
        found = {asked: by_text[self._folded[asked]] for asked in open_}
        found = {asked: each for asked, each in found.items() if each.hits}
        if not found:
            return {}
        with self._store.snapshot():  # equal digests mean equal values within one
            revisions = self._store.revisions(list(self._memories))
            scorer = Scorer(
                self._matcher.distance,
                self._memories,
                self._store,
                notes_are_current=revisions == self._revisions
                and not self._is_in_block,
            )
            self._revisions = revisions
            rankings = {
                asked: Ranking(scorer, asked.text, asked.context, each)
                for asked, each in found.items()
            }
            hits = max(len(each.hits) for each in found.values())
            return self._read({asked: open_[asked] for asked in found}, rankings, hits)

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
        """Read values of the entries that rank first until the ten are known.

        The first ten nearly always suffice, but thousands may be alike and have no
        value in a language, or the same. Return what is open then.
        """
        values: dict[str, list[MatchValue]] = {}  # by Rated.values_digest
        many = MATCHES_PER_LANGUAGE
        open_ = self._read_first(open_, rankings, values, many)
        while open_ and many < hits:
            many *= STEP
            open_ = self._read_first(open_, rankings, values, many)
        return open_

    def _read_first(
        self,
        open_: Open,
        rankings: Mapping[Question, Ranking],
        values: dict[str, list[MatchValue]],
        many: int,
    ) -> Open:
        """Add to ``done`` what is final with the ``many`` entries that rank first."""
        asked = [rankings[each] for each in open_]
        scorer = asked[0].scorer
        while asked:  # some sources of each question at a time
            unknown = [(each, each.unknown(many)) for each in asked]
            asked = [each for each, hits in unknown if hits]
            scorer.load_sources(hit for _, hits in unknown for hit in hits)
        firsts = {each: rankings[each].first(many) for each in open_}
        entries = (entry for order, _ in firsts.values() for entry in order)
        self._read_values(entries, set().union(*open_.values()), values)
        left: dict[Question, Set[str]] = {}
        for each, tags in open_.items():
            order, bound = firsts[each]
            kept = best(order, values, self._match_maker(scorer))
            further = _open_tags(tags, kept, bound, order)
            self.done[each] |= {tag: kept[tag] for tag in kept.keys() & tags - further}
            if further:
                left[each] = further
                self._least[each] = min(
                    _least_percent(kept.get(tag, []), scorer) for tag in further
                )
        return left

    def _read_values(
        self,
        entries: Iterable[Rated],
        tags: Collection[str],
        values: dict[str, list[MatchValue]],
    ) -> None:
        """Add the values of these entries; of those with equal values, read one."""
        unread = {
            each.values_digest: each.entry_id
            for each in entries
            if each.values_digest not in values
        }
        found = self._store.applied_values(unread.values(), tags) if unread else {}
        for digest, entry_id in unread.items():
            values[digest] = [
                each
                for each in found.get(entry_id, [])
                if each.status == "approved" or not self._only_approved
            ]

    def _match_maker(
        self, scorer: Scorer
    ) -> Callable[[Rated], Callable[[MatchValue], Match]]:
        def of_entry(entry: Rated) -> Callable[[MatchValue], Match]:
            # what its values share is looked up once
            id_, source = entry.entry_id, scorer.sources[entry.entry_id]
            text, context, at = source.source_text, source.context, source.updated_at
            memory, score = self._memories[entry.memory_id].memory, entry.score
            tm_id, name = memory.id, memory.name
            net, raw = score.match_percentage, score.raw_percentage
            penalties = score.penalties
            return lambda value: Match(
                id_,
                tm_id,
                name,
                text,
                value.value,
                value.status,
                context,
                net,
                raw,
                penalties,
                at,
            )

        return of_entry


def _least_percent(kept: Sequence[Match], scorer: Scorer) -> int:
    """The percentage that a further hit needs to be among the ten of a language."""
    if len(kept) < MATCHES_PER_LANGUAGE or not kept[-1].match_percentage:
        return 0
    return kept[-1].match_percentage + scorer.least_penalty


def _open_tags(
    tags: Set[str],
    kept: Mapping[str, Sequence[Match]],
    bound: Bound,
    order: Iterable[Rated],
) -> set[str]:
    """The languages among whose ten something beyond the bound could be."""
    if bound is None:
        return set()
    rank = {entry.entry_id: entry.rank for entry in order}
    final = {
        tag
        for tag, there in kept.items()
        if len(there) == MATCHES_PER_LANGUAGE
        and comes_before(rank[there[-1].entry_id], there[-1].status, bound)
    }
    return set(tags - final)
