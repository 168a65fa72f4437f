"""Matches are those that scoring every entry would give, however few are looked at."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from operator import itemgetter

from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein

from locframework.memories.folding import match_fold
from locframework.memories.gathering import gather
from locframework.memories.matcher import Found, Segments, Wanted
from locframework.memories.records import AssignedMemory, Assignment
from locframework.memories.scoring import folds_of, score
from locframework.memories.search_records import MatchRow
from locframework.testing.contracts.matcher_samples import (
    SegmentsInMemory,
    brute_force,
    entries,
    percent_of,
    sentences,
)
from locframework.testing.contracts.storage_memory_records import memory

TAGS = ("de", "fr", "nl")


class Plain:
    """A matcher that compares with every entry."""

    name = "plain"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        assert isinstance(segments, Rows)
        self.asked.append(most)
        by = self.distance
        return [brute_force(segments, wanted, text, most, by) for text in texts]

    def distance(self, first: str, second: str) -> int:
        return Levenshtein.distance(first, second)

    def forget(self, memory_id: str) -> None:
        raise AssertionError(memory_id)


class Rows(SegmentsInMemory):
    """Segments with values: German of every second, few values; French of few."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[MatchRow] = []

    def fill(self, memory_id: str, chosen: random.Random) -> None:
        sources = entries(
            [chosen.choice((t, t.upper(), f"{t}!")) for t in sentences("Latin", 140, 3)]
            + ["Save the file"] * 70
        )
        folded = {id_: match_fold(text or "") for id_, text in sources.items()}
        self.change(memory_id, dict(folded))
        for at, (id_, text) in enumerate(sources.items()):
            when = f"2026-01-0{chosen.randint(1, 9)}T00:00:00.000Z"
            for tag in ("de",) * (at % 2) + ("fr",) * (at % 40 < 2):
                value = f"{tag} {at % 30}"
                status = chosen.choice(("approved", "draft"))
                self.rows.append(
                    MatchRow(id_, tag, text or "", "", value, status, when)
                )

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> list[MatchRow]:
        return [
            row
            for row in self.rows
            if row.entry_id in entry_ids and row.language_code in language_codes
        ]

    def languages(self, memory_ids: Collection[str]) -> set[str]:
        return set(TAGS)

    def filled_languages(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> set[str]:
        return {row.language_code for row in self.rows}.intersection(language_codes)

    def search(self, *_: object) -> None:
        raise AssertionError("nothing is searched here")


def test_matches_are_those_of_scoring_every_entry() -> None:
    chosen, rows = random.Random(1), Rows()
    memories = {}
    for penalty in (0, 3):
        of = replace(memory(), min_match_percentage=50)
        use = Assignment(of.id, True, "none", penalty, penalty)
        memories[of.id] = AssignedMemory(of, use)
        rows.fill(of.id, chosen)
    texts = [*sentences("Latin", 8, 4), "Save the file", "save the files."]

    found = gather(
        Plain(),
        rows,  # type: ignore[arg-type]
        memories,
        [Wanted(id_, 50) for id_ in memories],
        {text: match_fold(text) for text in texts},
        TAGS,
        {},
    )

    for text in texts:
        for tag in TAGS:
            told = [each.entry_id for each in found[text].get(tag, [])]
            assert told == every(text, tag, memories, rows), (text, tag)


def test_a_match_is_found_behind_any_number_of_equal_ones_without_the_language() -> (
    None
):
    rows = Rows()
    of = memory()
    use = Assignment(of.id, True, "none", 0, 0)
    sources = entries(["Save the file"] * 4000)
    rows.change(of.id, dict.fromkeys(sources, "save the file"))
    last, when = max(sources), "2026-01-01T00:00:00.000Z"
    for id_, tag in ((last, "fr"), *((id_, "de") for id_ in sources)):
        rows.rows.append(
            MatchRow(id_, tag, "Save the file", "", f"{tag} x", "approved", when)
        )

    found = gather(
        Plain(),
        rows,  # type: ignore[arg-type]
        {of.id: AssignedMemory(of, use)},
        [Wanted(of.id, 70)],
        {"Save the file": "save the file"},
        ["fr"],
        {},
    )

    assert [each.entry_id for each in found["Save the file"]["fr"]] == [last]


def test_nothing_more_is_looked_for_in_a_language_without_any_value() -> None:
    rows, matcher = Rows(), Plain()
    of = memory()
    use = Assignment(of.id, True, "none", 0, 0)
    sources = entries([f"Save the file {at}" for at in range(60)])
    rows.change(of.id, {id_: text or "" for id_, text in sources.items()})
    for id_, text in sources.items():
        when = "2026-01-01T00:00:00.000Z"
        rows.rows.append(MatchRow(id_, "de", text or "", "", id_, "approved", when))

    found = gather(
        matcher,
        rows,  # type: ignore[arg-type]
        {of.id: AssignedMemory(of, use)},
        [Wanted(of.id, 70)],
        {"Save the file 0": "save the file 0"},
        ["fr"],
        {},
    )

    assert not found["Save the file 0"].get("fr")
    assert matcher.asked == [50]


def every(
    text: str, tag: str, memories: dict[str, AssignedMemory], rows: Rows
) -> list[str]:
    """The ten best, by scoring all."""
    folds = folds_of(text)
    ranked = []
    for row in rows.rows:
        [of] = [id_ for id_ in memories if row.entry_id in rows.texts[id_]]
        use, source = memories[of].assignment, folds_of(row.source_text)
        raw = percent_of(folds.full, source.full, Levenshtein.distance)
        points = memories[of].memory.penalties
        given = score(folds, source, raw, points, use.penalty, Levenshtein.distance)
        if row.language_code == tag and given.match_percentage >= 50:
            rank = (
                -given.match_percentage,
                use.priority,
                row.status != "approved",
                -int(row.updated_at[9]),  # the day, in which alone they differ
                row.entry_id,
            )
            ranked.append((rank, row))
    values: dict[str, str] = {}
    for _, row in sorted(ranked, key=itemgetter(0)):
        values.setdefault(row.value, row.entry_id)
    return list(values.values())[:10]
