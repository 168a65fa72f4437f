"""Contract of the texts of memories, for matching and concordance."""

import random
from collections.abc import Collection, Sequence
from contextlib import suppress
from operator import attrgetter

import pytest
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.languages import folded
from locframework.memories.matching.port import Forgotten, encode_note
from locframework.memories.matching.records import (
    Concordance,
    MatchValue,
    SearchIn,
)
from locframework.memories.matching.scoring import match_fold
from locframework.memories.records import (
    MemoryEntry,
    TranslationMemory,
)
from locframework.pagination import PageRequest
from locframework.storage import Storage

from .matcher_samples import WORDS, sentences
from .storage_memories import add_entries, add_languages, add_memory, entry, write
from .storage_records import add_project, at

ALL = PageRequest(limit=200)
CODE = attrgetter("language_code")


def expected(
    entries: Sequence[MemoryEntry], asked: Concordance
) -> list[tuple[str, str]]:
    """Return what a search must find, in its order, by reading all entries."""
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


def change(
    storage: Storage,
    of: TranslationMemory,
    saved: Sequence[MemoryEntry] = (),
    removed: Collection[str] = (),
) -> None:
    with write(storage, of) as writing:
        storage.memories.save_entries(writing, saved)
        storage.memories.remove_entries(writing, removed)


def revision(storage: Storage, of: TranslationMemory) -> int:
    return storage.memory_texts.revisions([of.id])[of.id]


class StorageMemoryTextsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_revisions_are_those_of_memories_that_exist(self, storage: Storage) -> None:
        of = add_project(storage)
        here, gone = add_memory(storage, of), add_memory(storage, of)
        add_entries(storage, [entry(here, "Pay")])
        storage.memories.delete(gone.id, at(1))

        found = storage.memory_texts.revisions([here.id, gone.id, new_id()])

        assert list(found) == [here.id]
        assert found[here.id] > 0

    def test_revision_of_a_rolled_back_write_is_never_used_again(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage)
        seen: list[int] = []
        for _ in range(2):
            with suppress(ZeroDivisionError), storage.transaction():
                change(storage, memory)
                seen.append(revision(storage, memory))
                raise ZeroDivisionError
        change(storage, memory)

        assert len({*seen, revision(storage, memory)}) == 3

    def test_changes_since_a_revision_lead_to_the_present_entries(
        self, storage: Storage
    ) -> None:
        memory, chosen, reached = add_memory(storage), random.Random(1), 0
        known: dict[str, tuple[str, bytes]] = {}
        there: list[MemoryEntry] = []
        for turn in range(12):
            texts = sentences("Latin", chosen.randint(1, 9), turn)
            added = [entry(memory, text, context=new_id()) for text in texts]
            add_entries(storage, added)
            there += added
            for index in chosen.sample(range(len(there)), k=len(there) // 3):
                text = f"  Changed {chosen.random()} !"
                there[index] = replace(there[index], source_text=text)
            removed = chosen.sample(there, k=len(there) // 5)
            there = [each for each in there if each not in removed]
            change(storage, memory, there, [each.id for each in removed])
            if chosen.random() < 0.4:
                continue  # changes of several writes are read together
            head = revision(storage, memory)
            for each in storage.memory_texts.changes(memory.id, reached):
                assert reached < each.revision <= head
                if each.text is None:
                    known.pop(each.entry_id, None)
                else:
                    known[each.entry_id] = each.text, each.note
            reached = head
            sources = storage.memory_texts.match_sources([each.id for each in there])
            assert known == {
                each.id: (match_fold(each.source_text), encode_note(sources[each.id]))
                for each in there
            }

    def test_removals_are_changes_until_they_are_forgotten(
        self, storage: Storage
    ) -> None:
        memory, texts = add_memory(storage), storage.memory_texts
        there = [entry(memory, f"Pay {n}") for n in range(6)]
        add_entries(storage, there)

        def forget(now: int, before: int, rows: int = 9) -> int:
            with storage.transaction():
                return storage.memories.forget_removals(at(now), at(before), rows)

        first = revision(storage, memory)
        change(storage, memory, removed=[each.id for each in there[:3]])
        second = revision(storage, memory)
        assert forget(now=10, before=9) == 0  # from now on it is noted
        change(storage, memory, removed=[there[3].id])
        assert forget(now=11, before=10) == 0  # nobody was given the time
        assert len(list(texts.changes(memory.id, first))) == 4

        assert [forget(now=20, before=11, rows=2) for _ in range(3)] == [2, 1, 0]

        with pytest.raises(Forgotten):
            next(texts.changes(memory.id, first))
        [gone] = texts.changes(memory.id, second)
        assert (gone.entry_id, gone.text) == (there[3].id, None)
        whole = {each.entry_id for each in texts.changes(memory.id, 0)}
        assert whole == {each.id for each in there[4:]}

    def test_passages_are_what_concordance_reads(self, storage: Storage) -> None:
        memory = add_memory(storage)
        one = entry(memory, "Pay  NOW!", "de:Zahle \nJetzt", "fr:", updated_at=at(3))
        two = entry(memory, "Buy", "de:Kaufen", context="b")
        add_entries(storage, [one, two])
        head = revision(storage, memory)
        passages = storage.memory_texts.passages

        first = {each.entry_id: each for each in passages(memory.id, 0)}
        with write(storage, memory) as writing:
            storage.memories.remove_translations(writing, [(one.id, "de")], at(5))
            storage.memories.remove_entries(writing, [two.id])
        later = {each.entry_id: each for each in passages(memory.id, head)}

        found = first[one.id]
        texts = [("", "pay now!"), ("de", "zahle jetzt")]
        assert (found.length, found.updated_at, found.texts) == (9, at(3), texts)
        assert first[two.id].texts == [("", "buy"), ("de", "kaufen")]
        assert later[one.id].texts == texts[:1]
        assert later[one.id].updated_at == at(5)
        assert (len(later), later[two.id].texts) == (2, None)

    def test_applied_values_are_byte_for_byte_those_of_the_languages(
        self, storage: Storage
    ) -> None:
        odd = "\"a\" \\ ['b'] \n\r\t\x01\x1f\x7f {%s} \u2028 \ufeff 設定 \U0001f600"
        codes = [f"de-{number}" for number in range(100, 140)]
        memory = add_memory(storage)
        values = [f"{code}:{odd} {code}" for code in codes]
        equal = [entry(memory, "Pay", *values, context=str(n)) for n in range(3)]
        other = entry(memory, "Pay", *values[:-1], f"{codes[-1]}:")
        add_entries(storage, [*equal, other])
        ids = [*(each.id for each in (*equal, other)), new_id()]
        every = [MatchValue(code, f"{odd} {code}", "approved") for code in codes]

        for asked in (slice(None), slice(3), slice(-3, None)):
            found = storage.memory_texts.applied_values(ids, [*codes[asked], "nl"])

            assert found.keys() == {*ids[:-1]}
            for each in equal:
                assert sorted(found[each.id], key=CODE) == every[asked]
            there = [value for value in every[asked] if value != every[-1]]
            assert sorted(found[other.id], key=CODE) == there
        assert storage.memory_texts.applied_values(ids, codes[-1:]).keys() == {*ids[:3]}
        assert storage.memory_texts.applied_values([], codes) == {}

    def test_search_finds_what_reading_everything_finds(self, storage: Storage) -> None:
        of, chosen = add_project(storage), random.Random(2)
        memories = [add_memory(storage, of, name) for name in ("a", "b", "c")]
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
        ids = [memories[0].id, memories[2].id]
        there = by_memory[0] + by_memory[2]
        search_in: list[SearchIn] = ["source", "target", "both"]
        for turn in range(60):
            text = folded(chosen.choice(there).source_text)
            begin = chosen.randrange(len(text))
            part = text[begin : begin + chosen.choice((1, 2, 3, 4, 9, 200))].strip()
            codes = chosen.choice((None, ["de"], ["ja", "de"], ["nl"]))
            asked = Concordance(ids, part, codes, search_in[turn % 3])
            if not part:
                continue

            found = storage.memory_texts.search(asked, ALL)

            entries = expected(there, asked)
            listed = [(each.entry_id, each.source_text) for each in found.items]
            assert (found.total, listed) == (len(entries), entries), asked

    def test_search_is_literal(self, storage: Storage) -> None:
        memory = add_memory(storage)
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
            texts = sorted(f"<{one}>" for one in odd if asked.text in folded(one))
            assert sorted(each.source_text for each in found.items) == texts

    def test_search_past_the_end_has_the_total(self, storage: Storage) -> None:
        memory = add_memory(storage)
        add_entries(storage, [entry(memory, f"Pay {n}") for n in range(5)])
        asked = Concordance([memory.id], "pay", None, "source")

        pages = [
            storage.memory_texts.search(asked, PageRequest(page=page, limit=3))
            for page in (2, 9)
        ]

        assert [(len(page.items), page.total) for page in pages] == [(2, 5), (0, 5)]

    def test_concordance_items_keep_the_order_of_ids(self, storage: Storage) -> None:
        memory = add_memory(storage)
        made = [entry(memory, text, f"de:{text}", "fr:x") for text in "abc"]
        add_entries(storage, made)
        ids, items = [made[2].id, new_id(), made[0].id], storage.memory_texts

        found = items.concordance_items(ids, ["de"])

        assert [each.source_text for each in found] == ["c", "a"]
        assert [one.value for each in found for one in each.translations] == ["c", "a"]
        every = items.concordance_items(ids, None)
        assert [len(each.translations) for each in every] == [2, 2]
        assert items.concordance_items([], None) == []

    def test_is_in_block_of_a_transaction_or_snapshot(self, storage: Storage) -> None:
        for block in (storage.transaction, storage.snapshot):
            with block():
                assert storage.memory_texts.is_in_block()
            assert not storage.memory_texts.is_in_block()

    def test_languages_and_those_with_values(self, storage: Storage) -> None:
        of, texts = add_project(storage), storage.memory_texts
        one, other, gone = (add_memory(storage, of) for _ in range(3))
        add_languages(storage, one, "de", "fr", "nl")
        add_languages(storage, other, "de", "ja", "nl")
        add_languages(storage, gone, "ja")
        pay = entry(one, "Pay", "de:Zahlen", "fr:", "nl:Betalen")
        add_entries(storage, [pay, entry(one, "Sell", "fr:"), entry(one, "Sign")])
        buy = entry(other, "Buy", "ja:買う", "de:Kaufen")
        add_entries(storage, [buy])
        add_entries(storage, [entry(gone, "Go", "ja:行く")])
        storage.memories.delete(gone.id, at(1))
        asked, ids = ["de", "fr", "ja", "nl"], [one.id, other.id, gone.id]

        assert texts.languages([one.id, other.id]) == {*asked}
        assert texts.languages([one.id]) == {"de", "fr", "nl"}
        assert texts.languages([]) == set()
        assert texts.languages_with_values(ids, asked) == {"de", "ja", "nl"}
        assert texts.languages_with_values([one.id], asked) == {"de", "nl"}
        assert texts.languages_with_values([other.id], ["nl"]) == set()
        assert texts.languages_with_values([gone.id], ["ja"]) == set()
