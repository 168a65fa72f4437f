"""The migration that lets lists find memories and glossaries by their names."""

from __future__ import annotations

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.testing.contracts.storage_glossaries import add_glossary
from locframework.testing.contracts.storage_memory_records import add_memory
from locframework.testing.contracts.storage_records import ALL, add_project

MIGRATION = "0031_names_of_memories"


def test_memories_and_glossaries_of_before_are_found_by_name(
    storage: PeeweeStorage,
) -> None:
    of = add_project(storage)
    memory = add_memory(storage, of, "İzmir  \t Texte")
    glossary = add_glossary(storage, "Straße  1", organization_id=of.organization_id)
    run = storage.database.run
    run("ALTER TABLE memories DROP COLUMN folded")
    run("UPDATE glossaries SET folded = 'strasse  1'")
    run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    memories = storage.memories.list_memories(None, ALL, search="izmir texte")
    glossaries = storage.glossaries.list_glossaries(None, ALL, search="strasse 1")
    assert [each.id for each in memories.items] == [memory.id]
    assert [each.id for each in glossaries.items] == [glossary.id]
