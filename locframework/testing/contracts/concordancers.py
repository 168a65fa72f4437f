"""The contract of the port Concordancer; clauses as in docs/contracts.md."""

import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, datetime, timedelta

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
    Damage,
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


class ConcordancerContract(IndexContract):
    """Subclass it as ``Test…`` and give the fixtures; see docs/contracts.md.

    ``open_concordancer`` gives, at each call, another instance over one and the same
    place, which is empty when a test begins. ``damage`` alters what is kept of a
    memory behind its back. ``broken_concordancer`` is one whose place cannot be
    reached. Where the last two cannot be done, ``undamageable`` or ``unbreakable``
    says why.
    """

    @pytest.fixture
    def open_concordancer(self) -> OpenConcordancer:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture open_concordancer")

    @pytest.fixture
    def broken_concordancer(self) -> Concordancer:
        """Give this one, or set ``unbreakable``."""
        if self.unbreakable:
            pytest.skip(self.unbreakable)
        raise NotImplementedError("give broken_concordancer, or set unbreakable")

    @pytest.fixture
    def concordancer(self, open_concordancer: OpenConcordancer) -> Concordancer:
        """One instance, for the tests that need no second."""
        return open_concordancer()

    @pytest.fixture
    def passages(self) -> PassagesInMemory:
        """Two memories without entries."""
        empty = PassagesInMemory()
        empty.change(MEMORY, {})
        empty.change(OTHER, {})
        return empty

    def check(
        self,
        concordancer: Concordancer,
        passages: PassagesInMemory,
        text: str,
        place: SearchIn = "both",
        codes: list[str] | None = None,
    ) -> None:
        """It answers as brute force does, on each page."""
        asked = Concordance([MEMORY, OTHER], text, codes, place)
        for page in (PageRequest(limit=200), PageRequest(page=2, limit=3)):
            found = concordancer.find(passages, asked, page)
            assert found == brute_force(passages, asked, page), (asked, page)

    def check_parts(
        self, concordancer: Concordancer, passages: PassagesInMemory, seed: int
    ) -> None:
        """The same, for parts of what is there, in every place."""
        chosen = random.Random(seed)
        there = [each for of in passages.entries.values() for each in of.values()]
        for turn in range(12):
            codes = chosen.choice((None, None, ["de"], ["ja", "de"], ["nl"]))
            part = part_of(chosen.choice(there), chosen)
            self.check(concordancer, passages, part, PLACES[turn % 3], codes)

    def test_co1_the_concordancer_has_a_plain_name(
        self, open_concordancer: OpenConcordancer
    ) -> None:
        name = open_concordancer().name

        assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
        assert open_concordancer().name == name

    def test_co2_nothing_is_found_where_there_is_nothing(
        self, concordancer: Concordancer, passages: PassagesInMemory
    ) -> None:
        for memory_ids in ([], [MEMORY], [MEMORY, new_id()]):
            asked = Concordance(memory_ids, "save", None, "both")
            found = concordancer.find(passages, asked, PageRequest())
            assert found == FoundEntries([], 0)

    @pytest.mark.parametrize("script", [*WORDS, "special"])
    def test_co3_every_part_is_found_in_any_script_and_in_order(
        self, concordancer: Concordancer, passages: PassagesInMemory, script: str
    ) -> None:
        passages.change(MEMORY, said(script, 150, seed=1))
        passages.change(OTHER, said(script, 30, seed=2))

        self.check_parts(concordancer, passages, seed=3)

    @settings(max_examples=60, deadline=None, suppress_health_check=SHARED)
    @given(
        st.lists(st.text(ODD, min_size=1, max_size=70), min_size=1, max_size=12),
        st.text(ODD, min_size=1, max_size=4),
        st.sampled_from(PLACES),
    )
    def test_co4_every_part_is_found_in_random_texts(
        self,
        concordancer: Concordancer,
        texts: list[str],
        part: str,
        place: SearchIn,
    ) -> None:
        passages = PassagesInMemory()
        concordancer.forget(MEMORY)
        kept = [text for text in texts if folded(text)]
        entries = {new_id(): SaidEntry(text, {"de": kept[0]}) for text in kept}
        passages.change(MEMORY, entries)

        for text in (folded(part), *(folded(text)[:35] for text in kept)):
            if text.strip():
                self.check(concordancer, passages, text, place)

    def test_co5_changes_are_known_to_the_next_call_of_everyone(
        self, open_concordancer: OpenConcordancer, passages: PassagesInMemory
    ) -> None:
        chosen = random.Random(3)
        instances = [open_concordancer(), open_concordancer()]
        for turn in range(10):
            there = list(passages.entries[MEMORY])
            changes = said("Latin", chosen.choice((1, 9, 60)), turn)
            edited = said("CJK", len(there) // 8, 50 + turn).values()
            some = chosen.sample(there, k=len(there) // 8)
            changes |= dict(zip(some, edited, strict=True))
            changes |= dict.fromkeys(chosen.sample(there, k=len(there) // 9))
            passages.change(MEMORY, changes)

            self.check_parts(chosen.choice(instances), passages, turn)
        for instance in [*instances, open_concordancer()]:
            self.check_parts(instance, passages, 99)

    def test_co6_a_memory_that_was_dropped_is_not_found(
        self, concordancer: Concordancer, passages: PassagesInMemory
    ) -> None:
        passages.change(MEMORY, said("Latin", 20, seed=4))
        self.check_parts(concordancer, passages, 5)

        passages.drop(MEMORY)

        self.check(concordancer, passages, "e")
        concordancer.forget(MEMORY)
        concordancer.forget(MEMORY)
        self.check(concordancer, passages, "e")

    def test_co7_a_memory_that_went_back_is_read_again(
        self, concordancer: Concordancer, passages: PassagesInMemory
    ) -> None:
        for seed in range(3):
            passages.change(MEMORY, said("Latin", 5, seed))
            self.check_parts(concordancer, passages, seed)
        passages.drop(MEMORY)
        passages.change(MEMORY, said("Latin", 3, 9))  # as a backup had it

        self.check_parts(concordancer, passages, 10)

    def test_co8_what_is_read_inside_a_transaction_is_not_kept(
        self, open_concordancer: OpenConcordancer, passages: PassagesInMemory
    ) -> None:
        passages.change(MEMORY, said("Latin", 30, seed=5))
        instances = [open_concordancer(), open_concordancer()]
        self.check_parts(instances[0], passages, 6)
        rolled_back = deepcopy(passages)
        rolled_back.in_block = True
        changed = dict.fromkeys(passages.entries[MEMORY], SaidEntry("not kept", {}))
        rolled_back.change(MEMORY, changed)

        for instance in instances:
            self.check(instance, rolled_back, "not kept")

        passages.change(MEMORY, said("Latin", 1, seed=6))  # now of the same revision
        for instance in instances:
            self.check(instance, passages, "not kept")
            self.check(instance, passages, "e")

    def test_co9_many_threads_ask_at_once(
        self, open_concordancer: OpenConcordancer, passages: PassagesInMemory
    ) -> None:
        concordancer = open_concordancer()
        passages.change(MEMORY, said("Latin", 200, seed=6))
        asked = Concordance([MEMORY], "e", None, "both")
        expected = brute_force(passages, asked, PageRequest())

        with ThreadPoolExecutor(6) as pool:
            tries = [
                pool.submit(concordancer.find, passages, asked, PageRequest())
                for _ in range(12)
            ]

        # one that cannot answer just now leaves it to the database
        told = [tried.result() for tried in tries]
        assert expected in told
        assert all(each in (expected, None) for each in told)

    def test_co10_what_was_damaged_is_made_again(
        self,
        open_concordancer: OpenConcordancer,
        passages: PassagesInMemory,
        damage: Damage,
    ) -> None:
        passages.change(MEMORY, said("Latin", 300, seed=8))
        self.check_parts(open_concordancer(), passages, 8)

        damage(MEMORY)

        self.check_parts(open_concordancer(), passages, 9)
        passages.change(MEMORY, said("Latin", 3, seed=9))
        self.check_parts(open_concordancer(), passages, 10)

    def test_co11_one_out_of_reach_leaves_it_to_the_database(
        self, broken_concordancer: Concordancer, passages: PassagesInMemory
    ) -> None:
        passages.change(MEMORY, said("Latin", 300, seed=10))

        asked = Concordance([MEMORY], "e", None, "both")
        assert broken_concordancer.find(passages, asked, PageRequest()) is None

    def test_co12_what_was_removed_and_forgotten_is_not_found(
        self, open_concordancer: OpenConcordancer, passages: PassagesInMemory
    ) -> None:
        ahead, behind = open_concordancer(), open_concordancer()
        passages.change(MEMORY, said("Latin", 9, seed=1))
        self.check(behind, passages, "e")
        first, second, *_ = passages.entries[MEMORY]
        passages.change(MEMORY, {first: None})
        self.check(ahead, passages, "e")
        passages.change(MEMORY, {second: None, **said("Latin", 1, seed=2)})

        passages.forget_removals(MEMORY)

        for instance in (behind, ahead, open_concordancer()):
            self.check(instance, passages, "e")
