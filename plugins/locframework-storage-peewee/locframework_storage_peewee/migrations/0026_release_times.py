"""When a release was made; of those there are, their ids tell it."""

from datetime import UTC, datetime

import peewee
from locframework_storage_peewee.ddl import run

from locframework.clock import timestamp


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "ALTER TABLE releases ADD COLUMN created_at TEXT NOT NULL DEFAULT ''")
    ids = [id_ for (id_,) in db.execute_sql("SELECT id FROM releases").fetchall()]
    db.cursor().executemany(
        f"UPDATE releases SET created_at = {db.param} WHERE id = {db.param}",
        [(_made_at(id_), id_) for id_ in ids],
    )


def _made_at(id_: str) -> str:
    """The time in a UUID of version 7: its first 48 bits count milliseconds."""
    milliseconds = int(id_.replace("-", "")[:12], 16)
    return timestamp(datetime.fromtimestamp(milliseconds / 1000, UTC))
