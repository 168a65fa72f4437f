"""The migration that gives each member a name of its own."""

from __future__ import annotations

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY
from msgspec.structs import replace

from locframework.testing.contracts.storage_records import member, organization, user

MIGRATION = "0036_names_of_members"


def test_members_of_before_keep_the_name_that_all_had_for_the_person(
    storage: PeeweeStorage,
) -> None:
    owners, who = [organization(), organization()], user()
    made = [member(each, who) for each in owners]
    storage.access.add_user(who)
    for owner, each in zip(owners, made, strict=True):
        storage.access.add_organization(owner)
        storage.access.add_member(each)
    for statement in (
        "ALTER TABLE members DROP COLUMN name",
        "ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT 'Ada'",
        f"DELETE FROM {HISTORY} WHERE name = '{MIGRATION}'",
    ):
        storage.database.run(statement)
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    for owner, each in zip(owners, made, strict=True):
        kept = storage.access.find_member(owner.id, each.id)
        assert kept == replace(each, name="Ada")
