"""The migration that says when releases were made, of those there were before."""

from datetime import UTC, datetime

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.clock import timestamp
from locframework.testing.contracts.storage_delivery_records import (
    building,
    distribution,
    ready,
)
from locframework.testing.contracts.storage_key_records import add_keys_project

MIGRATION = "0026_release_times"


def test_the_id_of_an_old_release_tells_when_it_was_made(
    storage: PeeweeStorage,
) -> None:
    before = timestamp(datetime.now(UTC))
    made = distribution(add_keys_project(storage))
    storage.delivery.add_distribution(made)
    storage.delivery.add_release(ready(building(made), "a" * 64))
    after = timestamp(datetime.now(UTC))
    storage.database.run("ALTER TABLE releases DROP COLUMN created_at")
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    found = storage.delivery.find_release(made.id, 1)
    assert found is not None
    assert before <= found.release.created_at <= after
