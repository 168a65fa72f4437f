"""How far a job is that goes in steps, and the claim in which it came there."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE jobs ADD COLUMN step TEXT",
        "ALTER TABLE jobs ADD COLUMN step_attempt INTEGER NOT NULL DEFAULT 0",
    )
