"""Decides what a fuzzy match is worth, and which matches a person is shown.

The rules of decisions 2.5, items 2 to 5; docs/translation-memory.md works an example.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVar

import msgspec

from locframework.languages import collapse_white_space, fold, nfc

from .folding import cut_marks, cut_punctuation
from .records import Penalties
from .search_records import MatchPenalty

Distance = Callable[[str, str], int]
Rank = tuple[int, bool, int]
"""Less is better."""
V = TypeVar("V", bound="Value")
M = TypeVar("M")

MATCHES_PER_LANGUAGE = 10  # service.md, Limits


class Score(msgspec.Struct, frozen=True, gc=False):
    """What a match is worth, and why."""

    raw_percentage: int
    match_percentage: int
    penalties: list[MatchPenalty]


class Rated(msgspec.Struct, frozen=True, gc=False):
    """A scored entry with what its place hangs on, whatever the language."""

    entry_id: str
    memory_id: str
    score: Score
    rank: Rank
    updated_at: str  # as clock.Timestamp writes it, so that later ones are greater
    said: str  # equal for entries that say the same in every language

    def is_before(self, rank: Rank, updated_at: str, entry_id: str) -> bool:
        """Whether another comes after this one, in the order of ``best_first``."""
        if self.rank != rank:
            return self.rank < rank
        if self.updated_at != updated_at:
            return self.updated_at > updated_at
        return self.entry_id < entry_id


def rank_of(score: Score, *, is_same_context: bool, priority: int) -> Rank:
    """What comes before approval and time; ``priority``: a low number comes first."""
    return -score.match_percentage, not is_same_context, priority


class Value(Protocol):
    """What an entry says in one language."""

    @property
    def language_code(self) -> str: ...

    @property
    def value(self) -> str: ...

    @property
    def status(self) -> str: ...


class Folds(msgspec.Struct, frozen=True, gc=False):
    """A text folded in every way that a score asks for."""

    text: str
    full: str
    without_case: str
    without_white_space: str
    cut: str  # the marks at the end; white space between them is none of it


def folds_of(text: str) -> Folds:
    """Fold once what is scored many times."""
    cased = fold(text)
    spaced, cut = cut_punctuation(collapse_white_space(nfc(text)))
    is_plain = text.isascii()  # then it is all one which folding is the first
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
    """The score of an entry whose folded source is ``raw_percentage`` like the text.

    A kind counts when folding by it raised the similarity (for punctuation: when
    what was cut differs); byte-equal texts have no penalty but the memory's own.
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
    """By all that ranks but approval, which is a language's matter: see ``best``.

    What is equal in all of it goes by entry id (2.5.4).
    """
    by_id = sorted(entries, key=attrgetter("entry_id"))
    by_id.sort(key=attrgetter("updated_at"), reverse=True)
    by_id.sort(key=attrgetter("rank"))
    return by_id


def best(
    order: Iterable[Rated],
    values: Mapping[str, Iterable[V]],
    told: Callable[[Rated], Callable[[V], M]],
) -> dict[str, list[M]]:
    """The matches to show for one text, by language, best first, at most ten.

    ``values`` are those in the languages asked for, by what the entries have in
    ``said``. Of entries with one value the best is kept; of those with one rank,
    approved ones come before others. What is kept is told: by entry, then by value.
    """
    kept: defaultdict[str, dict[str, M]] = defaultdict(dict)
    for _, alike in groupby(order, key=attrgetter("rank")):
        waiting: list[tuple[V, Callable[[V], M]]] = []
        for entry in alike:
            tell = told(entry)
            for said in values[entry.said]:
                if said.status != "approved":
                    waiting.append((said, tell))
                    continue
                there = kept[said.language_code]
                if len(there) < MATCHES_PER_LANGUAGE and said.value not in there:
                    there[said.value] = tell(said)
        for said, tell in waiting:
            there = kept[said.language_code]
            if len(there) < MATCHES_PER_LANGUAGE and said.value not in there:
                there[said.value] = tell(said)
    return {tag: list(there.values()) for tag, there in kept.items()}


def _is_more_alike(
    one: str, other: str, first: str, second: str, distance: Distance
) -> bool:
    """Whether a pair is more alike than the second one; exact: without a division."""
    if one == first and other == second:
        return False
    apart = distance(one, other)
    if not apart:  # equal: the others are not, or the texts were
        return first != second
    longest, longer = max(len(one), len(other)), max(len(first), len(second))
    return apart * longer < distance(first, second) * longest
