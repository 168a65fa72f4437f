"""Folds texts and scores matches (decisions 2.5, items 2 to 5).

docs/translation-memory.md works an example.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter

import msgspec

from locframework.fields import Timestamp
from locframework.languages import collapse_white_space, fold, folded, nfc
from locframework.memories.records import Penalties

from .records import Match, MatchPenalty, MatchValue

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
