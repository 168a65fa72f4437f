"""The contract of the port Concordancer; clauses as in docs/contracts.md."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locframework.fields import new_id, timestamp
from locframework.languages import folded
from locframework.memories.matching.port import (
    SOURCE_CODE,
    Concordancer,
    FoundEntries,
    Passage,
)
from locframework.memories.matching.records import Concordance, SearchIn
from locframework.pagination import PageRequest

from .matchers import (
    MEMORY,
    OTHER,
    SHARED,
    WORDS,
    EntriesInMemory,
    IndexContract,
    sentences,
)

SPECIAL = (
    "İstanbul ISTANBUL ıstanbul STRASSE straße Straſſe 273 K \u212a ﬁnd ϐίος Σίσυφος"
)
CODES = ("de", "ja", "pt-BR")


class SaidEntry(msgspec.Struct, frozen=True):
    """An entry as somebody wrote it."""

    source: str
    values: dict[str, str]
    day: int = 0  # of its last change


class PassagesInMemory(EntriesInMemory[SaidEntry]):
    """The port Passages."""

    def passages(self, memory_id: str, after: int) -> Iterator[Passage]:
        """As the port says."""
        entries = self.entries[memory_id]
        for revision, entry_id in self._changed(memory_id, after):
            entry = entries.get(entry_id)
            if entry is not None:
                length, at = len(entry.source), _day(entry.day)
                yield Passage(revision, entry_id, length, at, _texts(entry))
            elif after:
                yield Passage(revision, entry_id, 0, "", None)


def brute_force(
    passages: PassagesInMemory, asked: Concordance, page: PageRequest
) -> FoundEntries:
    """What reading every entry finds."""
    found = []
    for memory_id in asked.memory_ids:
        for entry_id, entry in passages.entries.get(memory_id, {}).items():
            texts = [text for code, text in _texts(entry) if _is_asked(asked, code)]
            if any(asked.text in text for text in texts):
                is_whole = asked.text in texts
                found.append((not is_whole, len(entry.source), -entry.day, entry_id))
    ids = [entry_id for *_, entry_id in sorted(found)]
    return FoundEntries(ids[page.offset :][: page.limit], len(ids))


def said(script: str, many: int, seed: int) -> dict[str, SaidEntry | None]:
    """New entries in a script of ``WORDS``, or of what is special when folded."""
    chosen = random.Random(seed)
    if script in WORDS:
        texts = sentences(script, many * 2, seed)
    else:
        words = SPECIAL.split(" ")
        texts = [
            " ".join(chosen.choices(words, k=chosen.randint(1, 9)))
            for _ in range(many * 2)
        ]
    return {
        new_id(): SaidEntry(
            chosen.choice((text, text.upper(), f"  {text}\n{text} ")),
            {code: chosen.choice(texts) for code in CODES if chosen.random() < 0.6},
            chosen.randint(0, 3),
        )
        for text in texts[:many]
    }


def part_of(entry: SaidEntry, chosen: random.Random) -> str:
    """A folded part of a text of the entry, never empty."""
    _, text = chosen.choice(_texts(entry))
    begin = chosen.randrange(len(text))
    length = chosen.choice((1, 1, 2, 3, 4, 9, 33, 70, len(text)))
    return text[begin : begin + length].strip() or text


def _texts(entry: SaidEntry) -> list[tuple[str, str]]:
    every = [(SOURCE_CODE, entry.source), *entry.values.items()]
    return [(code, folded(text)) for code, text in every]


def _is_asked(asked: Concordance, code: str) -> bool:
    if code == SOURCE_CODE:
        return asked.search_in != "target"
    if asked.search_in == "source":
        return False
    return asked.language_codes is None or code in asked.language_codes


def _day(day: int) -> str:
    return timestamp(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day))


OpenConcordancer = Callable[[], Concordancer]

PLACES: tuple[SearchIn, ...] = ("source", "target", "both")
ODD = "aAbßſKkiİıéé文字🎈 \t%_\\'\"*"


class ConcordancerContract(IndexContract[Concordancer, PassagesInMemory]):
    """Subclass it as ``Test…`` and give the fixtures; see docs/contracts.md."""

    size: ClassVar[int] = 300

    def empty(self) -> PassagesInMemory:
        return PassagesInMemory()

    def new_entries(self, many: int, seed: int) -> dict[str, Any]:
        return said("CJK" if seed % 3 == 1 else "Latin", many, seed)

    def check(
        self,
        index: Concordancer,
        memories: PassagesInMemory,
        text: str,
        place: SearchIn = "both",
        codes: list[str] | None = None,
    ) -> None:
        """It answers as brute force does, on each page."""
        asked = Concordance([MEMORY, OTHER], text, codes, place)
        for page in (PageRequest(limit=200), PageRequest(page=2, limit=3)):
            found = index.find(memories, asked, page)
            assert found == brute_force(memories, asked, page), (asked, page)

    def check_some(
        self,
        index: Concordancer,
        memories: PassagesInMemory,
        seed: int,
        of: PassagesInMemory | None = None,
    ) -> None:
        """The same, for parts of what is there, in every place."""
        chosen = random.Random(seed)
        there = [
            each for some in (of or memories).entries.values() for each in some.values()
        ]
        asked = [*there[:2], *chosen.choices(there, k=10)]
        for turn, entry in enumerate(asked):
            codes = chosen.choice((None, None, ["de"], ["ja", "de"], ["nl"]))
            self.check(index, memories, part_of(entry, chosen), PLACES[turn % 3], codes)
        self.check(index, memories, "e")

    def test_co1_nothing_is_found_where_there_is_nothing(
        self, index: Concordancer, memories: PassagesInMemory
    ) -> None:
        for memory_ids in ([], [MEMORY], [MEMORY, new_id()]):
            asked = Concordance(memory_ids, "save", None, "both")
            found = index.find(memories, asked, PageRequest())
            assert found == FoundEntries([], 0)

    @pytest.mark.parametrize("script", [*WORDS, "special"])
    def test_co2_every_part_is_found_in_any_script_and_in_order(
        self, index: Concordancer, memories: PassagesInMemory, script: str
    ) -> None:
        memories.change(MEMORY, said(script, 150, seed=1))
        memories.change(OTHER, said(script, 30, seed=2))

        self.check_some(index, memories, seed=3)

    @settings(max_examples=60, deadline=None, suppress_health_check=SHARED)
    @given(
        st.lists(st.text(ODD, min_size=1, max_size=70), min_size=1, max_size=12),
        st.text(ODD, min_size=1, max_size=4),
        st.sampled_from(PLACES),
    )
    def test_co3_every_part_is_found_in_random_texts(
        self,
        index: Concordancer,
        texts: list[str],
        part: str,
        place: SearchIn,
    ) -> None:
        memories = PassagesInMemory()
        index.forget(MEMORY)
        kept = [text for text in texts if folded(text)]
        entries = {new_id(): SaidEntry(text, {"de": kept[0]}) for text in kept}
        memories.change(MEMORY, entries)

        for text in (folded(part), *(folded(text)[:35] for text in kept)):
            if text.strip():
                self.check(index, memories, text, place)

    def test_co4_many_threads_ask_at_once(
        self, open_index: OpenConcordancer, memories: PassagesInMemory
    ) -> None:
        index = open_index()
        memories.change(MEMORY, said("Latin", 200, seed=6))
        asked = Concordance([MEMORY], "e", None, "both")
        expected = brute_force(memories, asked, PageRequest())

        with ThreadPoolExecutor(6) as pool:
            tries = [
                pool.submit(index.find, memories, asked, PageRequest())
                for _ in range(12)
            ]

        # one that cannot answer just now leaves it to the database
        told = [tried.result() for tried in tries]
        assert expected in told
        assert all(each in (expected, None) for each in told)

    def test_co5_one_out_of_reach_leaves_it_to_the_database(
        self, broken_index: Concordancer, memories: PassagesInMemory
    ) -> None:
        memories.change(MEMORY, said("Latin", 300, seed=10))

        asked = Concordance([MEMORY], "e", None, "both")
        assert broken_index.find(memories, asked, PageRequest()) is None
