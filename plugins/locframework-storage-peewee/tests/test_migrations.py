"""Several starters, killed starters and old programs leave a whole schema."""

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from locframework_storage_peewee import PeeweeStorage, models
from locframework_storage_peewee.migrator import HISTORY, MIGRATIONS

from locframework.ports import SettingsError
from locframework.testing.contracts.storage_records import add_project
from tests.empty_databases import Kind
from tests.processes import Process

Start = Callable[..., Process]

ALL = sorted(file.stem for file in MIGRATIONS.glob("[0-9]*.py"))


@pytest.fixture
def empty(
    empty_url: str, open_storage: Callable[[str], PeeweeStorage]
) -> PeeweeStorage:
    """A storage over a database without schema."""
    return open_storage(empty_url)


def schema(storage: PeeweeStorage, kind: Kind) -> list[tuple[object, ...]]:
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


def test_an_empty_database_gets_every_migration_in_order(empty: PeeweeStorage) -> None:
    assert empty.migrate(dry_run=True) == ALL
    assert empty.migrate() == ALL
    assert empty.migrate(dry_run=True) == []


def test_looking_for_pending_migrations_changes_nothing(
    empty: PeeweeStorage, kind: Kind
) -> None:
    empty.migrate(dry_run=True)

    assert schema(empty, kind) == []


def test_looking_for_pending_migrations_makes_no_file(
    open_storage: Callable[[str], PeeweeStorage], tmp_path: Path
) -> None:
    absent = open_storage(f"sqlite:///{tmp_path}/not/yet.sqlite3")

    assert absent.migrate(dry_run=True) == ALL
    assert list(tmp_path.iterdir()) == []


def test_of_three_starters_at_once_one_migrates(
    empty: PeeweeStorage, empty_url: str, start: Start
) -> None:
    children = [start("migrate", empty_url) for _ in range(3)]
    for child in children:
        child.go()
    applied = [child.hear() for child in children]
    codes = [child.ended_with() for child in children]

    assert sorted(applied, key=len) == [[], [], ALL]
    assert codes == [0, 0, 0]
    assert add_project(empty)


@pytest.mark.parametrize("statements", [0, 1, 100])
def test_a_killed_migration_leaves_nothing_and_the_next_start_completes_it(
    empty: PeeweeStorage,
    empty_url: str,
    start: Start,
    kind: Kind,
    storage: PeeweeStorage,
    statements: int,
) -> None:
    child = start("die_migrating", empty_url, statements)
    child.go()
    assert child.ended_with() == -signal.SIGKILL

    assert empty.migrate()

    assert schema(empty, kind) == schema(storage, kind)  # which nobody disturbed
    assert empty.migrate(dry_run=True) == []
    assert add_project(empty)


def test_a_schema_from_a_newer_program_stops_the_start_with_one_line(
    empty: PeeweeStorage,
) -> None:
    empty.migrate()
    empty.database.run(
        f"INSERT INTO {HISTORY} (name, applied) VALUES (?, CURRENT_TIMESTAMP)",
        ("9999_from_the_future",),
    )

    for start in (empty.migrate, partial(empty.migrate, dry_run=True)):
        with pytest.raises(SettingsError, match="9999_from_the_future") as caught:
            start()
        assert "\n" not in str(caught.value)


def test_tables_have_the_columns_of_the_models(storage: PeeweeStorage) -> None:
    tables = [each._meta for name, each in vars(models).items() if name.endswith("Row")]
    assert len(tables) > 10

    for table in tables:
        columns = ", ".join(field.column_name for field in table.sorted_fields)
        storage.database.rows(f"SELECT {columns} FROM {table.table_name}")
