"""The contract of Storage, part SX: texts of memories, for matching and concordance."""

import random
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter

import pytest
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.languages import folded
from locframework.memories.concordancer import Passage
from locframework.memories.folding import match_fold
from locframework.memories.matcher import Forgotten
from locframework.memories.records import (
    MemoryEntry,
    TranslationMemory,
)
from locframework.memories.search_records import (
    Concordance,
    MatchValue,
    SearchIn,
)
from locframework.memories.sources import noted
from locframework.paging import PageRequest
from locframework.storage import Storage

from .matcher_samples import WORDS, sentences
from .storage_memories import add_entries, add_languages, add_memory, entry
from .storage_records import add_project, at

ALL = PageRequest(limit=200)
CODE = attrgetter("language_code")


def naive(entries: Sequence[MemoryEntry], asked: Concordance) -> list[tuple[str, str]]:
    """Entries in the order that is promised, found by reading all of them."""
    found = []
    for each in entries:
        texts = [each.source_text] if asked.search_in != "target" else []
        if asked.search_in != "source":
            texts += [
                one.value
                for one in each.translations
                if asked.language_codes is None
                or one.language_code in asked.language_codes
            ]
        if any(asked.text in folded(text) for text in texts):
            whole = any(asked.text == folded(text) for text in texts)
            found.append((not whole, len(each.source_text), each))
    found.sort(key=lambda one: one[2].id)
    found.sort(key=lambda one: one[2].updated_at, reverse=True)
    found.sort(key=lambda one: one[:2])
    return [(each.id, each.source_text) for _, _, each in found]


class StorageMemoryTextsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sx1_revisions_are_those_of_memories_that_are_there(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        here, gone = add_memory(storage, of), add_memory(storage, of)
        add_entries(storage, [entry(here, "Pay")])
        storage.memories.delete(gone.id, at(1))

        found = storage.memory_texts.revisions([here.id, gone.id, new_id()])

        assert list(found) == [here.id]
        assert found[here.id] > 0

    def test_sx2_who_knows_a_revision_needs_only_what_came_later(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        known: dict[str, tuple[str, bytes]] = {}
        reached = 0
        there: list[MemoryEntry] = []
        chosen = random.Random(1)
        for turn in range(12):
            texts = sentences("Latin", chosen.randint(1, 9), turn)
            added = [entry(memory, text, context=new_id()) for text in texts]
            add_entries(storage, added)
            there += added
            some = chosen.sample(range(len(there)), k=len(there) // 3)
            for place in some:
                text = f"  Changed {chosen.random()} !"
                there[place] = replace(there[place], source_text=text)
            removed = chosen.sample(there, k=len(there) // 5)
            there = [each for each in there if each not in removed]
            self._write(storage, memory, [there[p] for p in some if p < len(there)], [])
            self._write(storage, memory, there, [each.id for each in removed])
            if chosen.random() < 0.4:
                continue  # somebody who does not look each time
            head = storage.memory_texts.revisions([memory.id])[memory.id]
            for change in storage.memory_texts.changes(memory.id, reached):
                assert reached < change.revision <= head
                if change.text is None:
                    known.pop(change.entry_id, None)
                else:
                    known[change.entry_id] = change.text, change.note
            reached = head
            sources = storage.memory_texts.match_sources([each.id for each in there])
            assert known == {
                each.id: (match_fold(each.source_text), noted(sources[each.id]))
                for each in there
            }

    def test_sx7_what_was_removed_is_told_until_it_is_forgotten(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        texts = storage.memory_texts
        there = [entry(memory, f"Pay {at}") for at in range(6)]
        add_entries(storage, there)

        def revision() -> int:
            return texts.revisions([memory.id])[memory.id]

        def forget(now: int, before: int, rows: int = 9) -> int:
            with storage.transaction():
                return storage.memories.forget_removals(at(now), at(before), rows)

        first = revision()
        self._write(storage, memory, [], [each.id for each in there[:3]])
        second = revision()
        assert forget(now=10, before=9) == 0  # from now on it is noted
        self._write(storage, memory, [], [there[3].id])
        assert forget(now=11, before=10) == 0  # nobody was given the time
        assert len(list(texts.changes(memory.id, first))) == 4

        assert [forget(now=20, before=11, rows=2) for _ in range(3)] == [2, 1, 0]

        with pytest.raises(Forgotten):
            next(texts.changes(memory.id, first))
        [gone] = texts.changes(memory.id, second)
        assert (gone.entry_id, gone.text) == (there[3].id, None)
        whole = {change.entry_id for change in texts.changes(memory.id, 0)}
        assert whole == {each.id for each in there[4:]}

    def _write(
        self,
        storage: Storage,
        memory: TranslationMemory,
        saved: Sequence[MemoryEntry],
        removed: Sequence[str],
    ) -> None:
        with storage.transaction():
            writing = storage.memories.begin(memory.id)
            assert writing is not None
            storage.memories.save_entries(writing, saved)
            storage.memories.remove_entries(writing, removed)

    def test_sx3_applied_values_are_those_in_the_languages_that_say_something(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        one = entry(memory, "Pay", "de:Zahlen", "fr:Payer", context="a")
        two = entry(memory, "Buy", "de:", "fr:Acheter", context="b")
        add_entries(storage, [one, two])

        texts = storage.memory_texts
        found = texts.applied_values([one.id, two.id, new_id()], ["de", "nl"])

        assert found == {one.id: [MatchValue("de", "Zahlen", "approved")]}
        assert texts.applied_values([], ["de"]) == {}

    def test_sx3_a_value_comes_back_letter_by_letter(self, storage: Storage) -> None:
        odd = (
            "\"a\" \\ ['b'] \n\r\t\x01\x1f\x7f {%s} \u2028 \ufeff Grüße 設定 \U0001f600"
        )
        memory = add_memory(storage, add_project(storage))
        one = entry(memory, "Pay", f"de:{odd}", "fr-CA:x", context="a")
        add_entries(storage, [one])

        found = storage.memory_texts.applied_values([one.id], ["de", "fr-CA"])

        said = sorted(found[one.id], key=lambda value: value.language_code)
        assert [value.value for value in said] == [odd, "x"]

    def test_sx3_of_entries_that_say_the_same_each_says_what_was_asked_for(
        self, storage: Storage
    ) -> None:
        codes = [f"de-{at}" for at in range(100, 140)]
        memory = add_memory(storage, add_project(storage))
        said = [f'{code}:{{"Zahlen"\u2028 {code}' for code in codes]
        equal = [entry(memory, "Pay", *said, context=str(at)) for at in range(3)]
        other = entry(memory, "Pay", *said[:-1], f"{codes[-1]}:Kaufen")
        add_entries(storage, [*equal, other])
        ids = [each.id for each in (*equal, other)]
        values = [MatchValue(c, f'{{"Zahlen"\u2028 {c}', "approved") for c in codes]
        last = MatchValue(codes[-1], "Kaufen", "approved")

        for asked in (slice(None), slice(3), slice(-3, None)):
            found = storage.memory_texts.applied_values(ids, codes[asked])

            for each in equal:
                assert sorted(found[each.id], key=CODE) == values[asked]
            there = sorted(found[other.id], key=CODE)
            assert there == [*values[:-1], last][asked]

    def test_sx4_a_search_finds_what_reading_everything_finds(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        memories = [add_memory(storage, of, name) for name in ("a", "b", "c")]
        chosen = random.Random(2)
        by_memory: list[list[MemoryEntry]] = []
        for memory in memories:
            texts = [
                t for script in WORDS for t in sentences(script, 12, len(by_memory))
            ]
            made = [
                entry(
                    memory,
                    chosen.choice((text, text.upper(), f" {text}\t!")),
                    f"de:{chosen.choice(texts)}",
                    f"ja:{chosen.choice(texts)}",
                    context=new_id(),
                    updated_at=at(chosen.randint(0, 5)),
                )
                for text in texts
            ]
            add_entries(storage, made)
            by_memory.append(made)
        asked_of = [memories[0].id, memories[2].id]
        there = by_memory[0] + by_memory[2]
        for turn in range(60):
            text = folded(chosen.choice(there).source_text)
            begin = chosen.randrange(len(text))
            part = text[begin : begin + chosen.choice((1, 2, 3, 4, 9, 200))].strip()
            places: list[SearchIn] = ["source", "target", "both"]
            codes = chosen.choice((None, ["de"], ["ja", "de"], ["nl"]))
            asked = Concordance(asked_of, part, codes, places[turn % 3])
            if not part:
                continue

            found = storage.memory_texts.search(asked, ALL)

            expected = naive(there, asked)
            listed = [(each.entry_id, each.source_text) for each in found.items]
            assert (found.total, listed) == (len(expected), expected), asked

    def test_sx5_nothing_that_is_searched_for_is_special(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        odd = [
            "100%",
            "a_b",
            'say "hi"',
            "a*",
            "x:y",
            "(a)",
            "\\",
            "!",
            "'--",
            "NEAR/1",
        ]
        add_entries(storage, [entry(memory, f"<{text}>", f"de:{text}") for text in odd])

        for text in [*odd, "%", "_", "*", '"""', "a OR b", "^a", "{a}"]:
            asked = Concordance([memory.id], folded(text), None, "both")
            found = storage.memory_texts.search(asked, ALL)
            expected = sorted(f"<{one}>" for one in odd if asked.text in folded(one))
            assert sorted(each.source_text for each in found.items) == expected

    def test_sx6_a_page_past_the_end_has_the_total(self, storage: Storage) -> None:
        memory = add_memory(storage, add_project(storage))
        add_entries(storage, [entry(memory, f"Pay {at}") for at in range(5)])
        asked = Concordance([memory.id], "pay", None, "source")

        first = storage.memory_texts.search(asked, PageRequest(page=2, limit=3))
        past = storage.memory_texts.search(asked, PageRequest(page=9, limit=3))

        assert (len(first.items), first.total) == (2, 5)
        assert (past.items, past.total) == ([], 5)

    def test_sx8_passages_tell_what_concordance_reads(self, storage: Storage) -> None:
        memory = add_memory(storage, add_project(storage))
        one = entry(memory, "Pay  NOW!", "de:Zahle \nJetzt", "fr:", updated_at=at(3))
        two = entry(memory, "Buy", context="b")
        add_entries(storage, [one, two])

        first = {each.entry_id: each for each in self._passages(storage, memory, 0)}
        head = storage.memory_texts.revisions([memory.id])[memory.id]
        self._write(storage, memory, [], [two.id])
        later = self._passages(storage, memory, head)

        texts = [("", "pay now!"), ("de", "zahle jetzt")]
        assert first.keys() == {one.id, two.id}
        told = first[one.id]
        assert (told.length, told.updated_at, told.texts) == (9, at(3), texts)
        assert first[two.id].texts == [("", "buy")]
        assert [(each.entry_id, each.texts) for each in later] == [(two.id, None)]

    def _passages(
        self, storage: Storage, memory: TranslationMemory, after: int
    ) -> list[Passage]:
        return list(storage.memory_texts.passages(memory.id, after))

    def test_sx9_a_changed_translation_is_a_changed_passage(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        made = entry(memory, "Pay", "de:Zahlen", "fr:Payer")
        add_entries(storage, [made])
        head = storage.memory_texts.revisions([memory.id])[memory.id]

        with storage.transaction():
            writing = storage.memories.begin(memory.id)
            assert writing is not None
            storage.memories.remove_translations(writing, [(made.id, "de")], at(5))

        [told] = self._passages(storage, memory, head)
        assert (told.updated_at, told.texts) == (at(5), [("", "pay"), ("fr", "payer")])

    def test_sx10_items_come_in_the_order_that_is_asked_for(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        made = [entry(memory, text, f"de:{text}", "fr:x") for text in "abc"]
        add_entries(storage, made)
        ids = [made[2].id, new_id(), made[0].id]

        found = storage.memory_texts.concordance_items(ids, ["de"])
        every = storage.memory_texts.concordance_items(ids, None)

        assert [each.source_text for each in found] == ["c", "a"]
        assert [one.value for each in found for one in each.translations] == ["c", "a"]
        assert [len(each.translations) for each in every] == [2, 2]
        assert storage.memory_texts.concordance_items([], None) == []

    def test_sx12_the_revision_of_a_write_that_was_rolled_back_comes_never_again(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        seen: list[int] = []
        for _ in range(2):
            with suppress(ZeroDivisionError), storage.transaction():
                self._write(storage, memory, [], [])
                seen += storage.memory_texts.revisions([memory.id]).values()
                raise ZeroDivisionError
        self._write(storage, memory, [], [])
        seen += storage.memory_texts.revisions([memory.id]).values()

        assert len(set(seen)) == 3

    def test_sx11_a_thread_knows_whether_it_is_inside_a_block(
        self, storage: Storage
    ) -> None:
        texts = storage.memory_texts

        assert not texts.is_in_block()
        with storage.transaction():
            assert texts.is_in_block()
        with storage.snapshot():
            assert texts.is_in_block()
        assert not texts.is_in_block()

    def test_sx13_the_languages_of_memories_are_told_together(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        one, other = add_memory(storage, of), add_memory(storage, of)
        add_languages(storage, one, "de", "fr")
        add_languages(storage, other, "fr", "ja")

        texts = storage.memory_texts
        assert texts.languages([one.id, other.id]) == {"de", "fr", "ja"}
        assert texts.languages([one.id]) == {"de", "fr"}
        assert texts.languages([]) == set()

    def test_sx14_the_entries_that_say_something_in_a_language_are_counted_and_told(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        one, other = add_memory(storage, of), add_memory(storage, of)
        gone = add_memory(storage, of)
        for to in (one, other, gone):
            add_languages(storage, to, "de", "fr", "ja", "nl")
        pay = entry(one, "Pay", "de:Zahlen", "fr:", "nl:Betalen")
        add_entries(storage, [pay, entry(one, "Sell", "fr:"), entry(one, "Sign")])
        buy = entry(other, "Buy", "ja:買う", "de:Kaufen")
        add_entries(storage, [buy])
        add_entries(storage, [entry(gone, "Go", "ja:行く")])
        storage.memories.delete(gone.id, at(1))
        here, there = (one.id, pay.id), (other.id, buy.id)

        texts, asked = storage.memory_texts, ["de", "fr", "ja", "nl"]
        ids = [one.id, other.id, gone.id]
        assert texts.count_values(ids, asked, 9) == {"de": 2, "ja": 1, "nl": 1}
        assert texts.count_values(ids, asked, 1) == {"de": 1, "ja": 1, "nl": 1}
        assert texts.count_values([one.id], asked, 9) == {"de": 1, "nl": 1}
        assert texts.count_values([other.id], ["nl"], 9) == {}
        assert sorted(texts.entries_in(ids, asked)) == sorted([here, there])
        assert texts.entries_in(ids, ["ja", "fr"]) == [there]
        assert texts.entries_in([one.id], ["ja"]) == []
