"""Makes matches out of what the matcher finds: values, scores, order, the best ten."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from .matcher import Found, Hit, Matcher, Wanted
from .ranking import Bound, Ranking, Scorer, comes_before
from .records import AssignedMemory
from .scoring import MATCHES_PER_LANGUAGE, Distance, Rated, best
from .search_records import Match, MatchValue
from .text_store import MemoryTextStore

FIRST_HITS = 50  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 400  # of those that could still be among the ten, when they were not
EVERY_HIT = 1 << 40
SOME_ENTRIES = 100  # are read before all others, where ten are not enough
FEW = 2_000  # entries: each can be compared with each text
SELDOM = 10  # one in so many entries, or fewer: worth a count of all
NOTHING: list[MatchValue] = []  # is said


class Question(NamedTuple):
    """A text, and the context it stands in: equal scores of that come first."""

    text: str
    context: str = ""


ByLanguage = dict[str, list[Match]]
Open = Mapping[Question, Set[str]]  # the languages whose ten are not known yet


def gather(
    matcher: Matcher,
    store: MemoryTextStore,
    memories: Mapping[str, AssignedMemory],
    wanted: Sequence[Wanted],
    questions: Mapping[Question, str],
    tags: Collection[str],
    *,
    only_approved: bool = False,
) -> dict[Question, ByLanguage]:
    """For each question, whose text comes folded with it, matches by language tag.

    Asks the matcher for some hits first, and then, for those texts and languages alone
    among whose ten a further hit could still be, for all hits that could: the only
    entry that has the language may be behind any number of equal ones that have not.
    A language of none of the memories is not looked for, and one in which few entries
    say anything is looked for in these.
    """
    tags = store.languages(memories).intersection(tags)
    gathering = _Gathering(matcher, store, memories, wanted, questions, only_approved)
    if wanted and tags:
        gathering.gather({asked: tags for asked in questions if questions[asked]})
    return gathering.done


class _Gathering:
    """One request: what is known so far of its texts, and of the entries like them."""

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
        self._scorer = Scorer(matcher.distance, memories)
        self._values: dict[str, list[MatchValue]] = {}  # by entry id; may be shared
        self._needed: dict[Question, int] = {}  # what a further hit must be worth
        self.done: dict[Question, ByLanguage] = {asked: {} for asked in folded}

    def gather(self, open_: Open) -> None:
        """Fill ``done`` for these questions and languages."""
        open_ = self._find(open_, FIRST_HITS)
        open_ = self._find(open_, MORE_HITS)
        open_ = self._look_in_few(open_)
        text_of = self._folded.__getitem__
        sources = self._scorer.sources
        for _, alike in groupby(sorted(open_, key=text_of), key=text_of):
            # text by text: each may have a million hits
            self._values.clear()  # some are of few languages only
            self._scorer.know_only(sources)
            self._find({asked: open_[asked] for asked in alike}, EVERY_HIT)

    def _find(self, open_: Open, most: int) -> Open:
        """Take what the matcher finds; what is open then."""
        if not open_:
            return {}
        needed = min(self._needed.get(asked, 0) for asked in open_)
        wanted = [
            replace(each, least_percent=max(each.least_percent, needed))
            for each in self._wanted
        ]
        texts = list(dict.fromkeys(self._folded[asked] for asked in open_))
        found = self._matcher.find(self._store, wanted, texts, most)
        self._learn(hit.entry_id for each in found for hit in each.hits)
        by_text = dict(zip(texts, found, strict=True))
        like = {asked: by_text[self._folded[asked]] for asked in open_}
        like = {asked: each for asked, each in like.items() if each.hits}
        return self._take({asked: open_[asked] for asked in like}, like)

    def _look_in_few(self, open_: Open) -> Open:
        """Compare with all that say something in a language, where these are few."""
        seldom = self._seldom(open_) if open_ else set()
        if not seldom:
            return open_
        counts = self._store.count_values(self._memories, seldom)
        few = seldom - counts.keys()
        rare, entries = _rarest(counts, FEW), list[tuple[str, str]]()
        if rare:
            entries = self._store.entries_in(self._memories, rare)
            self._learn(entry_id for _, entry_id in entries)
        few |= rare
        here = {asked: few.intersection(tags) for asked, tags in open_.items()}
        texts = {self._folded[asked] for asked in open_}
        compared = {text: self._compared(text, entries) for text in texts}
        self._take(here, {asked: compared[self._folded[asked]] for asked in here})
        left = {asked: set(tags) - few for asked, tags in open_.items()}
        return {asked: tags for asked, tags in left.items() if tags}

    def _seldom(self, open_: Open) -> set[str]:
        """Languages in which few say anything of the entries that were found last: to
        count what all say means to read every translation."""
        last = [*self._scorer.sources][-FIRST_HITS:]
        self._read(last, open_)
        said = Counter(
            value.language_code for id_ in last for value in self._values[id_]
        )
        tags = set().union(*open_.values())
        return {tag for tag in tags if said[tag] * SELDOM <= len(last)}

    def _compared(self, folded: str, entries: Iterable[tuple[str, str]]) -> Found:
        """All hits among the entries, as a matcher would find them."""
        least = {each.memory_id: each.least_percent for each in self._wanted}
        hits = []
        for memory_id, entry_id in entries:
            if entry_id in self._scorer.sources:
                other = self._scorer.folds(entry_id).full
                percent = _percent(
                    folded, other, least[memory_id], self._matcher.distance
                )
                if percent >= least[memory_id]:
                    hits.append(Hit(memory_id, entry_id, percent))
        hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
        return Found(hits, is_complete=True)

    def _take(self, open_: Open, found: Mapping[Question, Found]) -> Open:
        """Show what was found; what is open then.

        Values are read of the ten that rank first for each question, and of others
        only in languages in which those are not the ten that are shown: of some more
        before all, for thousands may be alike that say different things.
        """
        rankings = {
            asked: Ranking(self._scorer, asked.text, asked.context, each)
            for asked, each in found.items()
        }
        for many in (MATCHES_PER_LANGUAGE, SOME_ENTRIES, EVERY_HIT):
            open_ = self._show(open_, rankings, many)
        return open_

    def _show(
        self, open_: Open, rankings: Mapping[Question, Ranking], many: int
    ) -> Open:
        """Show what the ``many`` that rank first say, where that is final."""
        if not open_:
            return {}
        firsts = {asked: rankings[asked].first(many) for asked in open_}
        self._read(
            (each.entry_id for order, _ in firsts.values() for each in order), open_
        )
        left: dict[Question, set[str]] = {}
        for asked, tags in open_.items():
            order, bound = firsts[asked]
            kept = best(order, self._values, self._told)
            further = _open_tags(tags, kept, bound, order)
            self.done[asked] |= {tag: kept[tag] for tag in kept.keys() & tags - further}
            if further:
                left[asked] = further
                self._needed[asked] = min(
                    self._worth(kept.get(tag, [])) for tag in further
                )
        return left

    def _learn(self, entry_ids: Iterable[str]) -> None:
        unknown = set(entry_ids).difference(self._scorer.sources)
        if unknown:
            self._scorer.learn(self._store.match_sources(unknown))

    def _read(self, entry_ids: Iterable[str], open_: Open) -> None:
        """Their values in what is open of any question: all that are needed."""
        unknown = set(entry_ids).difference(self._values)
        if unknown:
            tags = set().union(*open_.values())
            said = self._store.applied_values(unknown, tags)
            if self._only_approved:
                said = {id_: _approved(values) for id_, values in said.items()}
            self._values |= dict.fromkeys(unknown, NOTHING) | said

    def _worth(self, kept: Sequence[Match]) -> int:
        """How alike a further entry must be, to be among the ten of a language."""
        if len(kept) < MATCHES_PER_LANGUAGE:
            return 0
        worth = kept[-1].match_percentage
        return worth + self._scorer.least_penalty if worth else 0

    def _told(self, entry: Rated) -> Callable[[MatchValue], Match]:
        """What makes matches of its values: what they share is looked up once."""
        id_, source = entry.entry_id, self._scorer.sources[entry.entry_id]
        text, context, at = source.source_text, source.context, source.updated_at
        memory = self._memories[entry.memory_id].memory
        tm_id, name, given = memory.id, memory.name, entry.score
        net, raw, off = given.match_percentage, given.raw_percentage, given.penalties

        def told(said: MatchValue) -> Match:
            value, status = said.value, said.status
            return Match(
                id_, tm_id, name, text, value, status, context, net, raw, off, at
            )

        return told


def _approved(values: Iterable[MatchValue]) -> list[MatchValue]:
    return [value for value in values if value.status == "approved"]


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


def _rarest(counts: Mapping[str, int], most: int) -> set[str]:
    """The languages in which fewest entries say anything, with so many together."""
    found: set[str] = set()
    for tag in sorted(counts, key=counts.__getitem__):
        most -= counts[tag]
        if most < 0:
            break
        found.add(tag)
    return found


def _percent(first: str, second: str, least: int, distance: Distance) -> int:
    """``floor(100 × similarity)``; 0 where their lengths alone make it too little."""
    shorter, longer = sorted((len(first), len(second)))
    if shorter * 100 < least * longer:
        return 0
    return (longer - distance(first, second)) * 100 // longer
