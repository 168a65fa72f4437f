"""The migration that notes beside each entry of a memory what it says."""

from __future__ import annotations

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.ports import TermTranslation
from locframework.testing.contracts.storage_memory_records import (
    add_entries,
    add_memory,
    entry,
)
from locframework.testing.contracts.storage_records import add_project, at

MIGRATION = "0035_said"


def test_entries_of_before_have_what_stands_for_all_they_say(
    storage: PeeweeStorage,
) -> None:
    memory = add_memory(storage, add_project(storage))
    draft = TermTranslation("ja", '\u0001\u2028"\\\x7f ü', "draft", None, None)
    waits = TermTranslation("nl", "", "pending_review", None, "wacht")
    entries = [
        entry(memory, f"text {at}", f"fr:{at % 7}", "de:Text") for at in range(2100)
    ]
    says_other = entry(memory, "other", translations=(draft, waits))
    empty = entry(memory, "empty", translations=(waits,), updated_at=at(1))
    add_entries(storage, [*entries, says_other, empty])
    ids = [each.id for each in (*entries, says_other, empty)]
    before = storage.memory_texts.match_sources(ids)
    storage.database.run("ALTER TABLE memory_entries DROP COLUMN said")
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    after = storage.memory_texts.match_sources(ids)
    assert after == before
    assert len({each.said for each in after.values()}) == 9
