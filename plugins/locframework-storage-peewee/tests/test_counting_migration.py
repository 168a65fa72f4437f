"""The migration that brings statistics counts what was stored before it."""

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY
from msgspec.structs import replace

from locframework.keys.records import BranchKey
from locframework.testing.contracts.storage_key_records import (
    add_keys_project,
    draft,
    key,
    value,
)
from locframework.testing.contracts.storage_records import add_branch, at

MIGRATION = "0010_statistics"
MANY = 700  # keys, with more texts than the migration takes at once
UNDONE = (
    "DROP TABLE language_counts",
    "ALTER TABLE key_values DROP COLUMN words",
    "ALTER TABLE lines DROP COLUMN trashed_at",
)


def test_what_was_there_is_counted(storage: PeeweeStorage) -> None:
    of, other = add_keys_project(storage), add_keys_project(storage)
    branch = add_branch(storage, of)
    on_branch = storage.branch_keys(of.id, branch.id)
    a, b, gone = key(of, "a"), key(of, "b", is_plural=True), key(of, "c")
    proposal = value(a, "en", "Pay at once", approved_value="Pay", updated_at=at(2))
    texts = [
        replace(proposal, status="pending_review"),
        value(a, "de", "Jetzt gleich zahlen", is_outdated=True),
        value(b, "en", "one file", "one"),
        value(b, "en", "two files", "other"),
        value(b, "ja", "設定", "other"),
        draft(b, "ja", "", plural_form="one"),
        value(gone, "en"),
    ]
    storage.keys.add_keys([a, b, gone], texts)
    storage.keys.trash_keys(of.id, [gone.id], at(5))
    on_branch.put_values([value(b, "de", "Dateien", "other", updated_at=at(6))])
    on_branch.put_overlay([BranchKey(a.id, "hidden")])
    many = [key(other, f"k{number}") for number in range(MANY)]
    values = [value(one, code) for one in many for code in ("en", "de", "ja")]
    storage.keys.add_keys(many, values)
    asked = [(of.id, None), (of.id, branch.id), (other.id, None)]
    before = [storage.statistics.counts_of(*one) for one in asked]
    for sql in UNDONE:
        storage.database.run(sql)
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    assert [storage.statistics.counts_of(*one) for one in asked] == before
