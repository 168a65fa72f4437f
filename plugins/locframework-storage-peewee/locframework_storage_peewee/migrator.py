"""Migrations: applied in the order of their numbers, by one process at a time."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import peewee
from playhouse.migrations import Runner  # type: ignore[import-untyped]

from locframework.ports import SettingsError, Unavailable

from .connections import connection_errors, first_line
from .engine import SETTING, Engine

MIGRATIONS = Path(__file__).parent / "migrations"
HISTORY = "locframework_migrations"

log = logging.getLogger("locframework.storage")

_POSTGRES = (
    (
        r"\bINTEGER PRIMARY KEY AUTOINCREMENT\b",
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    ),
    (r"\bINTEGER\b", "BIGINT"),
    (r"\bTEXT\b", 'TEXT COLLATE "C"'),
    (r"\bWITHOUT ROWID\b", ""),
)


def pending_migrations(engine: Engine) -> list[str]:
    """Return the names that ``migrate`` would apply, without creating a database.

    Raise SettingsError if the schema is newer than this program or the address is
    wrong.
    """
    try:
        if not engine.exists():
            return _all_names()
    except OSError as error:
        raise _unusable(engine, error) from error
    with _connected(engine) as database:
        return _pending(database)


def migrate(engine: Engine) -> list[str]:
    """Apply pending migrations and return their names."""
    with _connected(engine) as database:
        if not _pending(database):
            return []
        with engine.migration_lock(database):
            _pending(database)  # raises if a newer program migrated meanwhile
            runner = Runner(database, str(MIGRATIONS), table_name=HISTORY)
            applied: list[str] = runner.up()
            return applied


def _all_names() -> list[str]:
    return sorted(file.stem for file in MIGRATIONS.glob("[0-9]*.py"))


def _pending(database: peewee.Database) -> list[str]:
    # every start comes here; Runner.status() takes three times as long
    names = _all_names()
    applied: set[str] = set()
    if database.table_exists(HISTORY):
        rows = database.execute_sql(f"SELECT name FROM {HISTORY}")
        applied = {name for (name,) in rows.fetchall()}
    unknown = sorted(applied.difference(names))
    if unknown:
        raise SettingsError(
            f"the database was made by a newer program ({unknown[-1]});"
            " this one is too old for it"
        )
    return [name for name in names if name not in applied]


@contextmanager
def _connected(engine: Engine) -> Iterator[peewee.Database]:
    database = engine.make_peewee()
    try:
        connection = engine.open(database)
    except connection_errors(engine) as error:
        raise _unusable(engine, error) from error
    try:
        yield database
    except peewee.PeeweeException as error:
        cause = error.args[0] if error.args else error  # of the driver
        if not isinstance(cause, engine.errors) or (
            engine.fault(cause, connection) == "wrong"
        ):
            raise
        raise _unusable(engine, cause) from error
    finally:
        connection.close()


def _unusable(engine: Engine, error: Exception) -> Exception:
    """Return SettingsError if the address is wrong, else Unavailable."""
    reason = engine.refused(error)
    if reason is not None:
        path = f"{engine.path}: " if engine.path else ""
        return SettingsError(f"settings: {SETTING}: {path}{reason}", SETTING)
    log.warning("the database does not answer: %s", first_line(error))
    return Unavailable("the database does not answer; try again")


def run_file(database: peewee.Database, name: str) -> None:
    """Execute the statements of an SQL file of the migrations.

    Each begins at the start of a line, and its further lines are indented.
    """
    text = (MIGRATIONS / name).read_text("utf-8")
    run(database, *re.split(r";\n+(?=\S)", text.strip()))


def run(database: peewee.Database, *statements: str) -> None:
    """Execute statements of a migration, written in SQLite's dialect.

    On PostgreSQL text compares and sorts by code point, as on SQLite, and integers have
    64 bits.
    """
    for statement in statements:
        if isinstance(database, peewee.PostgresqlDatabase):
            for pattern, replacement in _POSTGRES:
                statement = re.sub(pattern, replacement, statement)
        database.execute_sql(statement)
