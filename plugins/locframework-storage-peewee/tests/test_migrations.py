"""Several starters, killed starters and old programs leave a whole schema."""

import signal
from functools import partial

import pytest
from locframework_storage_peewee import models
from locframework_storage_peewee.migrator import HISTORY, MIGRATIONS

from locframework.ports import SettingsError
from locframework.testing.contracts.storage_records import add_project

ALL = sorted(file.stem for file in MIGRATIONS.glob("[0-9]*.py"))


@pytest.fixture
def empty(empty_url, open_storage):
    """A storage over a database without schema."""
    return open_storage(empty_url)


def schema(storage, kind):
    """Everything in the schema, in a fixed order."""
    if kind == "sqlite":
        return storage.database.rows(
            "SELECT name, sql FROM sqlite_master ORDER BY name"
        )
    return storage.database.rows(
        """SELECT table_name::text, column_name::text, data_type::text,
            is_nullable::text, collation_name::text
            FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL
            SELECT indexname::text, indexdef, '', '', '' FROM pg_indexes
            WHERE schemaname = 'public' ORDER BY 1, 2"""
    )


def test_an_empty_database_gets_every_migration_in_order(empty):
    assert empty.migrate(dry_run=True) == ALL
    assert empty.migrate() == ALL
    assert empty.migrate(dry_run=True) == []


def test_looking_for_pending_migrations_changes_nothing(empty, kind):
    empty.migrate(dry_run=True)

    assert schema(empty, kind) == []


def test_looking_for_pending_migrations_makes_no_file(open_storage, tmp_path):
    absent = open_storage(f"sqlite:///{tmp_path}/not/yet.sqlite3")

    assert absent.migrate(dry_run=True) == ALL
    assert list(tmp_path.iterdir()) == []


@pytest.mark.kill
def test_of_three_starters_at_once_one_migrates(empty, empty_url, start):
    children = [start("migrate", empty_url) for _ in range(3)]
    for child in children:
        child.go()
    applied = [child.hear() for child in children]
    codes = [child.ended_with() for child in children]

    assert sorted(applied, key=len) == [[], [], ALL]
    assert codes == [0, 0, 0]
    assert add_project(empty)


@pytest.mark.kill
@pytest.mark.parametrize("statements", [0, 1, 100])
def test_a_killed_migration_leaves_nothing_and_the_next_start_completes_it(
    empty, empty_url, start, kind, storage, statements
):
    child = start("die_migrating", empty_url, statements)
    child.go()
    assert child.ended_with() == -signal.SIGKILL

    assert empty.migrate()

    assert schema(empty, kind) == schema(storage, kind)  # which nobody disturbed
    assert empty.migrate(dry_run=True) == []
    assert add_project(empty)


def test_a_schema_from_a_newer_program_stops_the_start_with_one_line(empty):
    empty.migrate()
    empty.database.run(
        f"INSERT INTO {HISTORY} (name, applied) VALUES (?, CURRENT_TIMESTAMP)",
        ("9999_from_the_future",),
    )

    for start in (empty.migrate, partial(empty.migrate, dry_run=True)):
        with pytest.raises(SettingsError, match="9999_from_the_future") as caught:
            start()
        assert "\n" not in str(caught.value)


def test_tables_have_the_columns_of_the_models(storage):
    tables = [each._meta for name, each in vars(models).items() if name.endswith("Row")]
    assert len(tables) > 10

    for table in tables:
        columns = ", ".join(field.column_name for field in table.sorted_fields)
        storage.database.rows(f"SELECT {columns} FROM {table.table_name}")
