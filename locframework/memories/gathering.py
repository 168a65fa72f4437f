"""Makes matches out of what the matcher finds, and has it find no more than needed."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from .folding import match_fold
from .matcher import Found, Hit, Matcher, Wanted
from .ranking import Scorer
from .records import AssignedMemory
from .search_records import MatchValue
from .showing import ByLanguage, Open, Question, Shown
from .sources import Sources
from .text_store import MemoryTextStore

FIRST_HITS = 100  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 400  # of each that needs more, those that could still be among the ten
TOGETHER = 20_000  # or so many of all these together
EVERY_HIT = 1 << 40
FEW = 5_000  # entries: each can be compared with each text
SELDOM = 10  # one in so many entries that were looked at, or fewer: worth a count


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
    """One request: what is known so far of its texts."""

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
        self._needed: dict[Question, int] = {}  # what a further hit must be worth
        self._is_in_block = store.is_in_block()  # a matcher may know of what came later
        self._revisions = store.revisions(list(memories))  # before the matcher looks
        self._said: Collection[Sequence[MatchValue]] = ()  # by what was shown last
        self.done: dict[Question, ByLanguage] = {asked: {} for asked in folded}

    def gather(self, open_: Open) -> None:
        """Fill ``done`` for these questions and languages."""
        open_ = self._look_in_few(self._find(open_, FIRST_HITS))
        many = len({self._folded[asked] for asked in open_}) or 1
        most = max(MORE_HITS, TOGETHER // many)
        open_ = self._look_in_few(self._find(open_, most))
        text_of = self._folded.__getitem__
        for _, alike in groupby(sorted(open_, key=text_of), key=text_of):
            # text by text: each may have a million hits
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
        by_text = dict(zip(texts, found, strict=True))
        like = {asked: by_text[self._folded[asked]] for asked in open_}
        like = {asked: each for asked, each in like.items() if each.hits}
        return self._take({asked: open_[asked] for asked in like}, like)

    def _look_in_few(self, open_: Open) -> Open:
        """Compare with all that say something in a language, where these are few."""
        seldom = self._seldom(open_) if open_ else set()
        if not seldom:
            return open_
        counts = self._store.count_values(self._memories, seldom, FEW + 1)
        few = seldom - counts.keys()
        rare, entries = _rarest(counts, FEW), list[tuple[str, str]]()
        if rare:
            entries = self._store.entries_in(self._memories, rare)
        few |= rare
        here = {asked: few.intersection(tags) for asked, tags in open_.items()}
        texts = {self._folded[asked] for asked in open_}
        compared = self._compared(texts, entries)
        self._take(here, {asked: compared[self._folded[asked]] for asked in here})
        left = {asked: set(tags) - few for asked, tags in open_.items()}
        return {asked: tags for asked, tags in left.items() if tags}

    def _seldom(self, open_: Open) -> set[str]:
        """Languages in which few say anything of the entries that were shown last; all,
        where all that was found is so much alike that none could be shown."""
        said = Counter(each.language_code for values in self._said for each in values)
        tags = set().union(*open_.values())
        return {tag for tag in tags if said[tag] * SELDOM <= len(self._said)}

    def _compared(
        self, texts: Iterable[str], entries: Collection[tuple[str, str]]
    ) -> dict[str, Found]:
        """All hits among the entries for each text, as a matcher would find them."""
        least = {each.memory_id: each.least_percent for each in self._wanted}
        lowest = min(least.values())
        sources = self._store.match_sources([entry_id for _, entry_id in entries])
        folded = {id_: match_fold(each.source_text) for id_, each in sources.items()}
        there = [(len(folded[id_]), of, id_) for of, id_ in entries if id_ in folded]
        there.sort()
        lengths = [length for length, _, _ in there]
        found = {}
        for text in texts:  # none that is much shorter or longer is alike enough
            first = bisect_left(lengths, -(-len(text) * lowest // 100))
            end = bisect_right(lengths, len(text) * 100 // lowest)
            hits = [
                Hit(of, id_, percent)
                for _, of, id_ in there[first:end]
                if (percent := self._percent(text, folded[id_])) >= least[of]
            ]
            hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
            found[text] = Found(hits, is_complete=True)
        return found

    def _percent(self, first: str, second: str) -> int:
        """``floor(100 × similarity)``."""
        longer = max(len(first), len(second))
        return (longer - self._matcher.distance(first, second)) * 100 // longer

    def _take(self, open_: Open, found: Mapping[Question, Found]) -> Open:
        """Show what was found; what is open then."""
        if not open_:
            return {}
        with self._store.snapshot():  # who says the same is told by both reads
            now = self._store.revisions(list(self._memories))
            are_noted = now == self._revisions and not self._is_in_block
            sources = Sources(self._store, are_noted=are_noted)
            self._revisions = now
            scorer = Scorer(self._matcher.distance, self._memories, sources)
            shown = Shown(
                self._store, self._memories, scorer, found, self._only_approved
            )
            left = shown.show(open_)
        for asked, kept in shown.done.items():
            self.done[asked] |= kept
        self._needed |= shown.needed
        self._said = shown.values.values()
        return left


def _rarest(counts: Mapping[str, int], most: int) -> set[str]:
    """The languages in which fewest entries say anything, with so many together."""
    found: set[str] = set()
    for tag in sorted(counts, key=counts.__getitem__):
        most -= counts[tag]
        if most < 0:
            break
        found.add(tag)
    return found
