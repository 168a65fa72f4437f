"""The contract of Storage, part SX: what stands for all that an entry says."""

import random

from locframework.memories.records import MemoryWriting, StoredTranslation
from locframework.memories.search_records import ValueStatus
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_memory_records import add_memory, entry
from .storage_records import add_project, at

CODES = ("ar", "de", "fr")
STATUSES: tuple[ValueStatus, ...] = ("approved", "draft")


class StorageMemorySaidContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

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
        assert len({each.said for each in sources}) == len(set(said.values()))
        pairs = {(each.said, said[each.entry_id]) for each in sources}
        assert len(pairs) == len(set(said.values()))
