"""The contract of Storage, part SX: what entries are compared by, and say."""

import random

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.memories.records import MemoryWriting, StoredTranslation
from locframework.memories.search_records import MatchSource, ValueStatus
from locframework.memories.sources import noted
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_memory_records import add_entries, add_memory, entry
from .storage_records import add_project, at

CODES = ("ar", "de", "fr")
STATUSES: tuple[ValueStatus, ...] = ("approved", "draft")


class StorageMemorySaidContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sx15_what_is_compared_of_entries_is_told_whatever_they_say(
        self, storage: Storage
    ) -> None:
        memory = add_memory(storage, add_project(storage))
        one = entry(memory, "Pay  NOW", "de:Zahlen", context="a", updated_at=at(3))
        two = entry(memory, "Buy")
        add_entries(storage, [one, two])
        texts = storage.memory_texts

        found = texts.match_sources([two.id, one.id, new_id()])

        assert {id_: replace(each, said="") for id_, each in found.items()} == {
            two.id: MatchSource("Buy", "", two.updated_at, ""),
            one.id: MatchSource("Pay  NOW", "a", at(3), ""),
        }
        assert texts.match_sources([]) == {}

    def test_sx16_what_entries_say_is_told_equal_exactly_where_it_is(
        self, storage: Storage
    ) -> None:
        memory, chosen = add_memory(storage, add_project(storage)), random.Random(4)
        made = [
            entry(memory, "Pay", *translations, context=str(at))
            for at in range(12)
            for translations in [["de:x", "fr:y"], ["de:x"], []][at % 3 :][:1]
        ]
        ids = [each.id for each in made]
        notes: dict[str, bytes] = {}
        reached = 0

        for step in range(12):
            with storage.transaction():
                writing = storage.memories.begin(memory.id)
                assert writing is not None
                if not step:
                    storage.memories.add_entries(writing, made)
                elif step == 11:
                    storage.memories.remove_language(writing, "de")
                elif step == 10:
                    storage.memories.remove_translations_in(writing, "fr", 0, 5)
                else:
                    self._write_some(storage, writing, ids, chosen)
            self._check(storage, ids)
            for change in storage.memory_texts.changes(memory.id, reached):
                notes[change.entry_id] = change.note
            reached = storage.memory_texts.revisions([memory.id])[memory.id]
            sources = storage.memory_texts.match_sources(ids)
            assert notes == {id_: noted(each) for id_, each in sources.items()}

    def _write_some(
        self,
        storage: Storage,
        writing: MemoryWriting,
        ids: list[str],
        chosen: random.Random,
    ) -> None:
        put = [
            StoredTranslation(id_, self._translation(chosen), at(2))
            for id_ in chosen.sample(ids, 4)
        ]
        storage.memories.put_translations(writing, put)
        gone = [(id_, chosen.choice(CODES)) for id_ in chosen.sample(ids, 2)]
        storage.memories.remove_translations(writing, gone, at(3))

    def _translation(self, chosen: random.Random) -> TermTranslation:
        code, value = chosen.choice(CODES), chosen.choice(("x", "y", ""))
        if not value:
            return TermTranslation(code, "", "pending_review", None, "z")
        return TermTranslation(code, value, chosen.choice(STATUSES), None, None)

    def _check(self, storage: Storage, ids: list[str]) -> None:
        texts = storage.memory_texts
        with texts.snapshot():
            sources = texts.match_sources(ids)
            values = texts.applied_values(ids, CODES)
        said = {id_: frozenset(values.get(id_, [])) for id_ in ids}
        assert len({each.said for each in sources.values()}) == len(set(said.values()))
        pairs = {(each.said, said[id_]) for id_, each in sources.items()}
        assert len(pairs) == len(set(said.values()))
