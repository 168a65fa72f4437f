"""Segments with values, in memory, and a matcher that compares with all of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter

from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein

from locframework.memories.matching.port import Found, Segments, Wanted
from locframework.memories.matching.records import MatchSource, MatchValue
from locframework.memories.matching.scoring import match_fold
from locframework.testing.contracts.matchers import (
    SegmentsInMemory,
    brute_force,
    entries,
    sentences,
)

CODE = attrgetter("language_code")
TAGS = ("de", "fr", "nl")
SAVES = ("Save the file",) * 8 + ("save the file", "Save  the file!")


class Plain:
    """A matcher that compares with every entry."""

    name = "plain"

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.told = 0  # hits

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
        found = [brute_force(segments, wanted, text, most, by) for text in texts]
        self.told += sum(len(each.hits) for each in found)
        return found

    def distance(self, first: str, second: str) -> int:
        return Levenshtein.distance(first, second)

    def forget(self, memory_id: str) -> None:
        raise AssertionError(memory_id)


class Rows(SegmentsInMemory):
    """Segments with values: German of every second, few values; French of few."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, MatchSource] = {}
        self.values: list[tuple[str, MatchValue]] = []  # by entry id
        self.read = 0  # values
        self.weighed = 0  # sources that were read
        self.counted: list[str] = []  # languages, for which every value is read

    def add(
        self, id_: str, text: str, when: str = "2026-01-01T00:00:00.000Z", **said: str
    ) -> None:
        """An entry whose text is in a memory already, and what it says."""
        context = "a" * (len(self.sources) % 7 == 0)
        self.sources[id_] = MatchSource(text, context, when, "")
        for tag, value in said.items():
            self.values.append((id_, MatchValue(tag, value, "approved")))

    def fill(self, memory_id: str, chosen: random.Random) -> None:
        sources = entries(
            [chosen.choice((t, t.upper(), f"{t}!")) for t in sentences("Latin", 140, 3)]
            + [chosen.choice(SAVES) for _ in range(140)]
        )
        folded = {id_: match_fold(text or "") for id_, text in sources.items()}
        self.change(memory_id, dict(folded))
        for at, (id_, text) in enumerate(sources.items()):
            self.add(id_, text or "", f"2026-01-0{chosen.randint(1, 9)}T00:00:00.000Z")
            few = ("de",) * (at % 2) + ("fr",) * (at % 40 < 2)
            for tag in () if text in SAVES and at % 3 else few:
                status = chosen.choice(("approved", "draft"))
                said = MatchValue(tag, f"{tag} {at % 30}", status)
                self.values.append((id_, said))
            if text in SAVES and at % 3:  # many that say the same, in all languages
                status = chosen.choice(("approved", "draft"))
                for tag in TAGS[at % 2 :]:
                    said = MatchValue(tag, f"{tag} {at % 13}", status)
                    self.values.append((id_, said))

    def snapshot(self) -> AbstractContextManager[None]:
        return nullcontext()

    def match_sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        self.weighed += len(entry_ids)
        return self._sources(entry_ids)

    def _sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        said: defaultdict[str, list[MatchValue]] = defaultdict(list)
        for id_, value in self.values:
            if id_ in entry_ids:
                said[id_].append(value)
        return {
            id_: replace(
                self.sources[id_], values_digest=repr(sorted(said[id_], key=CODE))
            )
            for id_ in entry_ids
            if id_ in self.sources
        }

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> dict[str, list[MatchValue]]:
        found: dict[str, list[MatchValue]] = {}
        for id_, said in self.values:
            if id_ in entry_ids and said.language_code in language_codes:
                found.setdefault(id_, []).append(said)
                self.read += 1
        return found

    def languages(self, memory_ids: Collection[str]) -> set[str]:
        return set(TAGS)

    def languages_with_values(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> set[str]:
        self.counted += language_codes
        there = {said.language_code for _, said in self.values}
        return there.intersection(language_codes)

    def search(self, *_: object) -> None:
        raise AssertionError("nothing is searched here")
