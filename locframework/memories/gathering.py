"""Makes matches out of what the matcher finds: values, scores, order, the best ten."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from .matcher import Found, Hit, Matcher, Wanted
from .records import AssignedMemory
from .scoring import (
    MATCHES_PER_LANGUAGE,
    Folds,
    Rated,
    best,
    best_first,
    folds_of,
    score,
)
from .search_records import Match, MatchRow
from .text_store import MemoryTextStore

FIRST_HITS = 50  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 8  # times as many, when they were not

ByLanguage = dict[str, list[Match]]
Rows = dict[str, dict[str, MatchRow]]  # by language, then entry id


def gather(
    matcher: Matcher,
    store: MemoryTextStore,
    memories: Mapping[str, AssignedMemory],
    wanted: Sequence[Wanted],
    texts: Mapping[str, str],
    tags: Collection[str],
    contexts: Mapping[str, str],
) -> dict[str, ByLanguage]:
    """For each text, which comes with how it is folded, matches by language tag.

    Asks the matcher for some hits first, and for more only for those texts and
    languages among whose ten a further hit could still be; there is no end to that
    but the last hit, for the only entry that has the language may be behind any
    number of equal ones that have not. A language of none of the memories is not
    looked for, nor looked further for when there is no value in it.
    """
    least = _least_penalty(memories) if memories else 0
    tags = store.languages(memories).intersection(tags)
    done: dict[str, ByLanguage] = {text: {} for text in texts}
    open_ = {text: tags for text in texts if texts[text]}
    seen: set[str] = set()
    most = FIRST_HITS
    while open_ and wanted and tags:
        found = matcher.find(store, wanted, [texts[text] for text in open_], most)
        ids = {hit.entry_id for each in found for hit in each.hits}
        rows = store.applied_values(ids, set().union(*open_.values()))
        scoring = _Scoring(matcher, memories, rows)
        further = {}
        for (text, asked), hits in zip(open_.items(), found, strict=True):
            ranked = scoring.ranked(text, contexts.get(text, ""), hits.hits, asked)
            done[text] |= {tag: scoring.matches(tag, ranked[tag]) for tag in ranked}
            further[text] = {
                tag for tag in asked if not _is_final(hits, ranked.get(tag, []), least)
            }
        seen |= {row.language_code for row in rows}
        unseen = set().union(*further.values()) - seen
        if unseen:
            seen |= store.filled_languages(memories, unseen)
        open_ = {text: left & seen for text, left in further.items() if left & seen}
        most *= MORE_HITS
    return done


class _Scoring:
    """Scores hits; each source is folded once for all texts."""

    def __init__(
        self,
        matcher: Matcher,
        memories: Mapping[str, AssignedMemory],
        rows: Sequence[MatchRow],
    ) -> None:
        self._matcher = matcher
        self._memories = memories
        self._entries = {row.entry_id: row for row in rows}  # in any language
        self._rows: Rows = {row.language_code: {} for row in rows}
        for row in rows:
            self._rows[row.language_code][row.entry_id] = row
        self._sources: dict[str, Folds] = {}
        self._hits: dict[str, Hit] = {}
        self._least_penalty = _least_penalty(memories)

    def ranked(
        self, text: str, context: str, hits: Sequence[Hit], tags: Collection[str]
    ) -> dict[str, list[Rated]]:
        """The best of each language; ``hits`` are the best first.

        An entry is scored once for all languages, and none that could not be among
        the ten of any.
        """
        folds = folds_of(text)
        rated: list[Rated] = []
        there = [hit for hit in hits if hit.entry_id in self._entries]
        for percent, alike in groupby(there, key=attrgetter("percent")):
            if self._are_settled(rated, percent, tags):
                break
            for hit in alike:
                self._hits[hit.entry_id] = hit
                each = self._rated(folds, context, hit)
                if each is not None:
                    rated.append(each)
        if not rated:
            return {}
        order = best_first(rated)
        return {tag: best(order, self._rows.get(tag, {})) for tag in tags}

    def _are_settled(
        self, rated: Sequence[Rated], percent: int, tags: Collection[str]
    ) -> bool:
        """Whether each language has ten values that are worth more than any to come."""
        if len(rated) < MATCHES_PER_LANGUAGE:
            return False
        at_best = percent - self._least_penalty
        better = [
            each.entry_id for each in rated if each.score.match_percentage > at_best
        ]
        return len(better) >= MATCHES_PER_LANGUAGE and all(
            len({values[id_].value for id_ in better if id_ in values})
            >= MATCHES_PER_LANGUAGE
            for values in (self._rows.get(tag, {}) for tag in tags)
        )

    def matches(self, tag: str, entries: Sequence[Rated]) -> list[Match]:
        """Entries as they are answered in the language."""
        return [self._match(self._rows[tag][each.entry_id], each) for each in entries]

    def _rated(self, text: Folds, context: str, hit: Hit) -> Rated | None:
        row = self._entries[hit.entry_id]
        assigned = self._memories[hit.memory_id]
        found = score(
            text,
            self._folds(row),
            hit.percent,
            assigned.memory.penalties,
            assigned.assignment.penalty,
            self._matcher.distance,
        )
        if found.match_percentage < assigned.memory.min_match_percentage:
            return None
        return Rated(
            hit.entry_id,
            found,
            row.context == context,
            assigned.assignment.priority,
            row.updated_at,
        )

    def _folds(self, row: MatchRow) -> Folds:
        known = self._sources.get(row.entry_id)
        if known is None:
            known = self._sources[row.entry_id] = folds_of(row.source_text)
        return known

    def _match(self, row: MatchRow, entry: Rated) -> Match:
        memory = self._memories[self._hits[row.entry_id].memory_id].memory
        return Match(
            row.entry_id,
            memory.id,
            memory.name,
            row.source_text,
            row.value,
            row.status,
            row.context,
            entry.score.match_percentage,
            entry.score.raw_percentage,
            entry.score.penalties,
            row.updated_at,
        )


def _is_final(found: Found, ranked: Sequence[Rated], least_penalty: int) -> bool:
    """Whether no further hit could be among the ten of a language.

    A further one is at most as alike as the last, less the smallest penalty.
    """
    if found.is_complete or not found.hits:
        return True
    at_best = found.hits[-1].percent - least_penalty
    return (
        len(ranked) == MATCHES_PER_LANGUAGE
        and ranked[-1].score.match_percentage > at_best
    )


def _least_penalty(memories: Mapping[str, AssignedMemory]) -> int:
    return min(each.assignment.penalty for each in memories.values())
