"""Makes matches out of what the matcher finds: values, scores, order, the best ten."""

from collections.abc import Collection, Mapping, Sequence

from .matcher import Found, Hit, Matcher, Wanted
from .records import AssignedMemory
from .scoring import MATCHES_PER_LANGUAGE, Candidate, Folds, best, folds_of, score
from .search_records import Match, MatchRow
from .text_store import MemoryTextStore

FIRST_HITS = 50  # of a text: nearly always enough for ten matches in each language
MORE_HITS = 8  # times as many, when they were not

ByLanguage = dict[str, list[Match]]
Rows = dict[str, dict[str, MatchRow]]  # by entry id, then language


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

    Asks the matcher for some hits first, and for more only for those texts whose
    further hits could still be among the ten of a language; there is no end to that
    but the last hit, for the only entry that has the language may be behind any
    number of equal ones that have not. A language of none of the memories is not
    looked for.
    """
    tags = store.languages(memories).intersection(tags)
    done: dict[str, ByLanguage] = {text: {} for text in texts}
    open_, most = [text for text in texts if texts[text]], FIRST_HITS
    while open_ and wanted and tags:
        found = matcher.find(store, wanted, [texts[text] for text in open_], most)
        ids = {hit.entry_id for each in found for hit in each.hits}
        rows = _by_entry(store.applied_values(ids, tags))
        sources: dict[str, Folds] = {}
        further = []
        for text, hits in zip(open_, found, strict=True):
            scoring = _Scoring(matcher, memories, rows, sources)
            ranked = scoring.ranked(text, contexts.get(text, ""), hits.hits, tags)
            done[text] = {tag: scoring.matches(ranked[tag]) for tag in ranked}
            if not _is_final(hits, [ranked.get(tag, []) for tag in tags], memories):
                further.append(text)
        open_, most = further, most * MORE_HITS
    return done


class _Scoring:
    """Scores the hits of one text; sources are folded once for all texts."""

    def __init__(
        self,
        matcher: Matcher,
        memories: Mapping[str, AssignedMemory],
        rows: Rows,
        sources: dict[str, Folds],
    ) -> None:
        self._matcher = matcher
        self._memories = memories
        self._rows = rows
        self._sources = sources
        self._hits: dict[str, Hit] = {}
        self._least_penalty = _least_penalty(memories)

    def ranked(
        self, text: str, context: str, hits: Sequence[Hit], tags: Collection[str]
    ) -> dict[str, list[Candidate]]:
        """The best of each language that has any; ``hits`` are the best first.

        No hit is looked at that could not be among the ten of any language.
        """
        folds = folds_of(text)
        candidates: dict[str, list[Candidate]] = {tag: [] for tag in tags}
        percent = 100
        for hit in hits:
            if hit.percent < percent:
                percent = hit.percent
                if self._are_settled(candidates.values(), percent):
                    break
            self._hits[hit.entry_id] = hit
            for candidate in self._candidates(folds, context, hit):
                candidates[candidate.language_code].append(candidate)
        return {tag: best(each) for tag, each in candidates.items() if each}

    def _are_settled(
        self, candidates: Collection[Sequence[Candidate]], percent: int
    ) -> bool:
        """Whether each language has ten values that are worth more than any to come."""
        at_best = percent - self._least_penalty
        return all(
            len(each) >= MATCHES_PER_LANGUAGE
            and len({c.value for c in each if c.score.match_percentage > at_best})
            >= MATCHES_PER_LANGUAGE
            for each in candidates
        )

    def matches(self, candidates: Sequence[Candidate]) -> list[Match]:
        """Candidates as they are answered."""
        return [self._match(candidate) for candidate in candidates]

    def _candidates(self, text: Folds, context: str, hit: Hit) -> list[Candidate]:
        rows = self._rows.get(hit.entry_id)
        if not rows:
            return []
        assigned = self._memories[hit.memory_id]
        first = next(iter(rows.values()))
        found = score(
            text,
            self._folds(hit.entry_id, first.source_text),
            hit.percent,
            assigned.memory.penalties,
            assigned.assignment.penalty,
            self._matcher.distance,
        )
        if found.match_percentage < assigned.memory.min_match_percentage:
            return []
        return [
            Candidate(
                entry_id=hit.entry_id,
                language_code=tag,
                value=row.value,
                score=found,
                is_same_context=row.context == context,
                priority=assigned.assignment.priority,
                is_approved=row.status == "approved",
                updated_at=row.updated_at,
            )
            for tag, row in rows.items()
        ]

    def _folds(self, entry_id: str, source_text: str) -> Folds:
        known = self._sources.get(entry_id)
        if known is None:
            known = self._sources[entry_id] = folds_of(source_text)
        return known

    def _match(self, candidate: Candidate) -> Match:
        row = self._rows[candidate.entry_id][candidate.language_code]
        memory = self._memories[self._hits[candidate.entry_id].memory_id].memory
        return Match(
            entry_id=candidate.entry_id,
            tm_id=memory.id,
            tm_name=memory.name,
            source_text=row.source_text,
            value=row.value,
            status=row.status,
            context=row.context,
            match_percentage=candidate.score.match_percentage,
            raw_percentage=candidate.score.raw_percentage,
            penalties=candidate.score.penalties,
            updated_at=row.updated_at,
        )


def _is_final(
    found: Found,
    ranked: Sequence[Sequence[Candidate]],
    memories: Mapping[str, AssignedMemory],
) -> bool:
    """Whether no further hit could be among the ten of any language.

    A further one is at most as alike as the last, less the smallest penalty.
    """
    if found.is_complete or not found.hits:
        return True
    at_best = found.hits[-1].percent - _least_penalty(memories)
    return all(
        len(best_) == MATCHES_PER_LANGUAGE
        and best_[-1].score.match_percentage > at_best
        for best_ in ranked
    )


def _least_penalty(memories: Mapping[str, AssignedMemory]) -> int:
    return min(each.assignment.penalty for each in memories.values())


def _by_entry(rows: Sequence[MatchRow]) -> Rows:
    found: Rows = {}
    for row in rows:
        found.setdefault(row.entry_id, {})[row.language_code] = row
    return found
