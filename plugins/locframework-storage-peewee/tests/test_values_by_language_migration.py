"""The migration that makes values of memories findable by their language."""

from __future__ import annotations

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.testing.contracts.storage_memory_records import (
    add_entries,
    add_languages,
    add_memory,
    entry,
)
from locframework.testing.contracts.storage_records import add_project

MIGRATIONS = ["0037_values_by_language", "0038_entries_in_order"]


def test_values_of_before_are_found_by_language(storage: PeeweeStorage) -> None:
    of = add_project(storage)
    one, other = add_memory(storage, of), add_memory(storage, of)
    pay, sell = entry(one, "Pay", "de:Zahlen", "fr:"), entry(other, "Sell", "de:x")
    for memory, said in ((one, pay), (other, sell)):
        add_languages(storage, memory, "de", "fr")
        add_entries(storage, [said])
    for sql in (
        "DROP INDEX memory_translations_by_language",
        "DROP INDEX memory_translations_unsaid",
        "DROP INDEX memory_entries_by_update",
        "ALTER TABLE memory_translations DROP COLUMN memory",
    ):
        storage.database.run(sql)
    for name in MIGRATIONS:
        storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (name,))
    storage.database.drop_connections()

    assert storage.migrate() == MIGRATIONS

    texts, asked = storage.memory_texts, ["de", "fr"]
    assert texts.entries_in([one.id], asked) == [(one.id, pay.id)]
    assert texts.entries_in([other.id], asked) == [(other.id, sell.id)]
    assert texts.count_values([one.id, other.id], asked, 9) == {"de": 2}
