"""The migration that sweeps the entries that keys made and that say nothing."""

from __future__ import annotations

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.ids import new_id
from locframework.memories.records import KeyLink
from locframework.ports import SegmentChange
from locframework.testing.contracts.storage_memory_links import writing
from locframework.testing.contracts.storage_memory_records import (
    add_entries,
    add_memory,
    entry,
)
from locframework.testing.contracts.storage_records import add_project

MIGRATION = "0034_empty_entries"


def test_entries_of_keys_that_say_nothing_are_swept_and_no_others(
    storage: PeeweeStorage,
) -> None:
    of = add_project(storage)
    memory, untouched = add_memory(storage, of), add_memory(storage, of)
    by_hand = entry(memory, "by hand")
    add_entries(storage, [by_hand])
    add_entries(storage, [entry(untouched, "other")])
    says, empty = entry(memory, "says", "de:sagt"), entry(memory, "says nothing")
    with writing(storage, memory) as begun:
        storage.memories.add_entries(begun, [says, empty], learned=True)
        links = [KeyLink(of.id, new_id(), None, each.id) for each in (says, empty)]
        storage.memories.replace_links(begun, [], links)
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    texts, ids = storage.memory_texts, [memory.id, untouched.id]
    before = texts.revisions(ids)
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    now = texts.revisions(ids)
    gone = SegmentChange(now[memory.id], empty.id, None)
    assert list(texts.changes(memory.id, before[memory.id])) == [gone]
    assert now[untouched.id] == before[untouched.id]
    left = texts.match_sources([e.id for e in (by_hand, says, empty)])
    assert left.keys() == {by_hand.id, says.id}
    found = storage.memories.find_memory(memory.id)
    assert found is not None
    assert found.memory.entry_count == 2
    assert storage.memories.links_to(memory.id, [says.id, empty.id]) == links[:1]
