"""Brings the schema up to date, whoever else starts or dies meanwhile."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import peewee
from playhouse.migrations import Runner  # type: ignore[import-untyped]

from locframework.ports import SettingsError, Unavailable

from .engine import SETTING, Engine
from .sessions import faults_of, first_line

MIGRATIONS = Path(__file__).parent / "migrations"
HISTORY = "locframework_migrations"

log = logging.getLogger("locframework.storage")


def pending_migrations(engine: Engine) -> list[str]:
    """What ``migrate`` would apply; makes nothing, not even the file of a database.

    SettingsError: the schema is newer than we are, or the address is of no use.
    """
    try:
        if not engine.is_made():
            return _names()
    except OSError as error:
        raise _unusable(engine, error) from error
    with _connected(engine) as database:
        return _pending(database)


def migrate(engine: Engine) -> list[str]:
    """Apply what is pending, one process at a time; answers what it applied."""
    with _connected(engine) as database:
        if not _pending(database):
            return []
        engine.prepare_to_migrate(database)
        with engine.migrating(database):
            _pending(database)  # a newer program may have been faster
            runner = Runner(database, str(MIGRATIONS), table_name=HISTORY)
            applied: list[str] = runner.up()
            return applied


def _names() -> list[str]:
    return sorted(file.stem for file in MIGRATIONS.glob("[0-9]*.py"))


def _pending(database: peewee.Database) -> list[str]:
    """As ``Runner.status`` tells, in a third of its time: every start asks."""
    names = _names()
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
    except faults_of(engine) as error:
        raise _unusable(engine, error) from error
    try:
        yield database
    except peewee.PeeweeException as error:
        cause = error.args[0] if error.args else error  # as the driver raised it
        if not isinstance(cause, engine.errors) or (
            engine.fault(cause, connection) == "wrong"
        ):
            raise
        raise _unusable(engine, cause) from error
    finally:
        connection.close()


def _unusable(engine: Engine, error: Exception) -> Exception:
    """SettingsError for an address that is of no use until somebody mends it; else
    Unavailable."""
    told = engine.refused(error)
    if told is not None:
        place = f"{engine.place}: " if engine.place else ""
        return SettingsError(f"settings: {SETTING}: {place}{told}", SETTING)
    log.warning("the database does not answer: %s", first_line(error))
    return Unavailable("the database does not answer; try again")
