"""Decides what a fuzzy match is worth, and which matches a person is shown.

The rules of decisions 2.5, items 2 to 5; docs/translation-memory.md works an example.
"""

from collections.abc import Callable, Iterable
from unicodedata import normalize

import msgspec

from .folding import cut_marks, cut_punctuation, fold_case, fold_white_space
from .records import Penalties
from .search_records import MatchPenalty

Distance = Callable[[str, str], int]

MATCHES_PER_LANGUAGE = 10  # service.md, Limits


class Score(msgspec.Struct, frozen=True):
    """What a match is worth, and why."""

    raw_percentage: int
    match_percentage: int
    penalties: list[MatchPenalty]


class Candidate(msgspec.Struct, frozen=True):
    """A scored match with what its rank hangs on."""

    entry_id: str
    language_code: str
    value: str
    score: Score
    is_same_context: bool
    priority: int  # of the memory in the project; a low number comes first
    is_approved: bool
    updated_at: str  # as clock.Timestamp writes it, so that later ones are greater


class Folds(msgspec.Struct, frozen=True):
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


def best(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The matches to show for one text and language, best first, at most ten.

    Of entries with one value the best is kept.
    """
    kept: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda each: each.entry_id):
        before = kept.get(candidate.value)
        if before is None or _rank(candidate) > _rank(before):
            kept[candidate.value] = candidate
    by_id = sorted(kept.values(), key=lambda each: each.entry_id)
    return sorted(by_id, key=_rank, reverse=True)[:MATCHES_PER_LANGUAGE]


def _rank(candidate: Candidate) -> tuple[int, bool, int, bool, str]:
    """More is better; what is equal in all of it goes by entry id (2.5.4)."""
    return (
        candidate.score.match_percentage,
        candidate.is_same_context,
        -candidate.priority,
        candidate.is_approved,
        candidate.updated_at,
    )


class _Pair(msgspec.Struct, frozen=True):
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
