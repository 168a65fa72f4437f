"""Brings the schema up to date, whoever else starts or dies meanwhile."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import peewee
from playhouse.migrations import Runner  # type: ignore[import-untyped]

from locframework.ports import SettingsError, Unavailable

from .engine import Engine
from .sessions import connect, first_line

MIGRATIONS = Path(__file__).parent / "migrations"
HISTORY = "locframework_migrations"

log = logging.getLogger("locframework.storage")


def pending_migrations(engine: Engine) -> list[str]:
    """What ``migrate`` would apply. SettingsError: the schema is newer than we are."""
    with _connected(engine) as database:
        return _pending(_runner(database))


def migrate(engine: Engine) -> list[str]:
    """Apply what is pending, one process at a time; answers what it applied."""
    with _connected(engine) as database:
        if not _pending(_runner(database)):
            return []
        engine.prepare_to_migrate(database)
        with engine.migrating(database):
            runner = _runner(database)
            _pending(runner)  # a newer program may have been faster
            applied: list[str] = runner.up()
            return applied


def _runner(database: peewee.Database) -> Runner:
    return Runner(database, str(MIGRATIONS), table_name=HISTORY)


def _pending(runner: Runner) -> list[str]:
    status = runner.status()
    unknown = [migration.name for migration in status if migration.path is None]
    if unknown:
        raise SettingsError(
            f"the database was made by a newer program ({unknown[-1]});"
            " this one is too old for it"
        )
    return [migration.name for migration in status if not migration.applied]


@contextmanager
def _connected(engine: Engine) -> Iterator[peewee.Database]:
    database = engine.make_peewee()
    connection = connect(engine, database)
    try:
        yield database
    except peewee.PeeweeException as error:
        cause = error.args[0] if error.args else error  # as the driver raised it
        if not isinstance(cause, engine.errors) or (
            engine.fault(cause, connection) == "wrong"
        ):
            raise
        log.warning("cannot migrate just now: %s", first_line(cause))
        raise Unavailable("the database does not answer; try again") from error
    finally:
        connection.close()
