"""Decides what a fuzzy match is worth, and which matches a person is shown.

The rules of decisions 2.5, items 2 to 5; docs/translation-memory.md works an example.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Protocol
from unicodedata import normalize

import msgspec

from .folding import cut_marks, cut_punctuation, fold_case, fold_white_space
from .records import Penalties
from .search_records import MatchPenalty

Distance = Callable[[str, str], int]

MATCHES_PER_LANGUAGE = 10  # service.md, Limits


class Score(msgspec.Struct, frozen=True, gc=False):
    """What a match is worth, and why."""

    raw_percentage: int
    match_percentage: int
    penalties: list[MatchPenalty]


class Rated(msgspec.Struct, frozen=True, gc=False):
    """A scored entry with what its rank hangs on, whatever the language."""

    entry_id: str
    score: Score
    is_same_context: bool
    priority: int  # of the memory in the project; a low number comes first
    updated_at: str  # as clock.Timestamp writes it, so that later ones are greater


class Value(Protocol):
    """What the rank of an entry hangs on in one language."""

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
    cased = fold_case(text)
    spaced, cut = cut_punctuation(fold_white_space(normalize("NFC", text)))
    full = cut_punctuation(fold_white_space(cased))[0]
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
        full = _Pair(text.full, source.full)
        if points.case and full.is_more_alike(
            _Pair(text.without_case, source.without_case), distance
        ):
            penalties.append(MatchPenalty("case", points.case))
        if points.whitespace and full.is_more_alike(
            _Pair(text.without_white_space, source.without_white_space), distance
        ):
            penalties.append(MatchPenalty("whitespace", points.whitespace))
        if points.trailing_punctuation and text.cut != source.cut:
            off = points.trailing_punctuation
            penalties.append(MatchPenalty("trailingPunctuation", off))
    if tm_penalty:
        penalties.append(MatchPenalty("tm", tm_penalty))
    net = raw_percentage - sum(penalty.points for penalty in penalties)
    return Score(raw_percentage, max(0, min(100, net)), penalties)


def best_first(entries: Iterable[Rated]) -> list[tuple[Rated, bool]]:
    """Each entry where its approved value stands, and where one that is not.

    What is equal in all that ranks goes by entry id (2.5.4).
    """
    by_id = sorted(entries, key=attrgetter("entry_id"))
    latest = sorted(by_id, key=attrgetter("updated_at"), reverse=True)
    order: list[tuple[Rated, bool]] = []
    for _, each in groupby(sorted(latest, key=_rank, reverse=True), key=_rank):
        alike = list(each)
        order += [(entry, True) for entry in alike]
        order += [(entry, False) for entry in alike]
    return order


def best(
    order: Iterable[tuple[Rated, bool]], values: Mapping[str, Value]
) -> list[Rated]:
    """The matches to show for one text and language, best first, at most ten.

    ``values`` are those of the language, by entry id. Of entries with one value the
    best is kept.
    """
    kept: dict[str, Rated] = {}
    for entry, is_approved in order:
        there = values.get(entry.entry_id)
        if there is not None and (there.status == "approved") == is_approved:
            kept.setdefault(there.value, entry)
            if len(kept) == MATCHES_PER_LANGUAGE:
                break
    return list(kept.values())


def _rank(entry: Rated) -> tuple[int, bool, int]:
    """More is better; what is equal in it goes by whether it is approved."""
    return entry.score.match_percentage, entry.is_same_context, -entry.priority


class _Pair(msgspec.Struct, frozen=True, gc=False):
    first: str
    second: str

    def is_more_alike(self, other: "_Pair", distance: Distance) -> bool:
        """Whether this similarity is greater; exact, so without a division."""
        if self == other:
            return False
        mine, theirs = (distance(pair.first, pair.second) for pair in (self, other))
        return mine * other.longest < theirs * self.longest

    @property
    def longest(self) -> int:
        return max(len(self.first), len(self.second), 1)
