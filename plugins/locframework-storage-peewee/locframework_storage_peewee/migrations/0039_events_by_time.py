"""An index of events by time: those of a day were found by reading all of a project."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "CREATE INDEX events_by_time ON events (project_id, created_at, seq)")
