"""Shows what a matcher has found: which matches each language has, the best ten."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from .matcher import Found
from .ranking import Bound, Ranking, Scorer, comes_before
from .records import AssignedMemory
from .scoring import MATCHES_PER_LANGUAGE, Rated, best
from .search_records import Match, MatchValue
from .text_store import MemoryTextStore

STEP = 10  # times as many entries are looked at where those before were not enough


class Question(NamedTuple):
    """A text, and the context it stands in: equal scores of that come first."""

    text: str
    context: str = ""


ByLanguage = dict[str, list[Match]]
Open = Mapping[Question, Set[str]]  # the languages whose ten are not known yet


class Shown:
    """What was found of some questions, read as of one moment.

    Sources are read of what may be among those that rank first, and values of those
    that do; of entries that say the same in every language, of one.
    """

    def __init__(
        self,
        store: MemoryTextStore,
        memories: Mapping[str, AssignedMemory],
        scorer: Scorer,
        found: Mapping[Question, Found],
        only_approved: bool,
    ) -> None:
        self._store = store
        self._memories = memories
        self._scorer = scorer
        self._rankings = {
            asked: Ranking(scorer, asked.text, asked.context, each)
            for asked, each in found.items()
        }
        self._most = max((len(each.hits) for each in found.values()), default=0)
        self._only_approved = only_approved
        self.values: dict[str, list[MatchValue]] = {}  # by what entries say
        self.done: dict[Question, ByLanguage] = {}
        self.needed: dict[Question, int] = {}  # what a further hit must be worth

    def show(self, open_: Open) -> Open:
        """Fill ``done`` for these questions, which were found; what is open then.

        The ten that rank first are nearly always those that are shown, but thousands
        may be alike that say nothing in a language, or the same in that one.
        """
        many = MATCHES_PER_LANGUAGE
        open_ = self._show(open_, many)
        while open_ and many < self._most:
            many *= STEP
            open_ = self._show(open_, many)
        return open_

    def _show(self, open_: Open, many: int) -> Open:
        """Show what the ``many`` that rank first say, where that is final."""
        self._learn(open_, many)
        firsts = {asked: self._rankings[asked].first(many) for asked in open_}
        self._read((each for order, _ in firsts.values() for each in order), open_)
        left: dict[Question, Set[str]] = {}
        for asked, tags in open_.items():
            order, bound = firsts[asked]
            kept = best(order, self.values, self._told)
            further = _open_tags(tags, kept, bound, order)
            done = self.done.setdefault(asked, {})
            done |= {tag: kept[tag] for tag in kept.keys() & tags - further}
            if further:
                left[asked] = further
                self.needed[asked] = min(
                    self._worth(kept.get(tag, [])) for tag in further
                )
        return left

    def _learn(self, open_: Open, many: int) -> None:
        """Know the sources that tell which entries rank first: some of each question
        at a time, for what these are worth tells whether others can be among them."""
        rankings = [self._rankings[asked] for asked in open_]
        while rankings:
            asked = [(each, each.unknown(many)) for each in rankings]
            rankings = [each for each, hits in asked if hits]
            self._scorer.sources.learn(hit for _, hits in asked for hit in hits)

    def _read(self, entries: Iterable[Rated], open_: Open) -> None:
        """Their values in what is open of any question: all that are needed."""
        unread = {e.said: e.entry_id for e in entries if e.said not in self.values}
        if not unread:
            return
        tags = set().union(*open_.values())
        there = self._store.applied_values(unread.values(), tags)
        for said, entry_id in unread.items():
            values = there.get(entry_id, [])
            if self._only_approved:
                values = [each for each in values if each.status == "approved"]
            self.values[said] = values

    def _worth(self, kept: Sequence[Match]) -> int:
        """How alike a further entry must be, to be among the ten of a language."""
        if len(kept) < MATCHES_PER_LANGUAGE:
            return 0
        worth = kept[-1].match_percentage
        return worth + self._scorer.least_penalty if worth else 0

    def _told(self, entry: Rated) -> Callable[[MatchValue], Match]:
        """What makes matches of its values: what they share is looked up once."""
        id_, source = entry.entry_id, self._scorer.sources.known[entry.entry_id]
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
