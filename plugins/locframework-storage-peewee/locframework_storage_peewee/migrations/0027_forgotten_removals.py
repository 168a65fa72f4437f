"""Up to which revision a memory's removed entries are forgotten, and which is next."""

import peewee
from locframework_storage_peewee.ddl import run

COLUMNS = (
    "forgotten INTEGER NOT NULL DEFAULT 0",
    "marked INTEGER NOT NULL DEFAULT 0",
    "marked_at TEXT NOT NULL DEFAULT ''",
)


def up(migrator: object, db: peewee.Database) -> None:
    for column in COLUMNS:
        run(db, f"ALTER TABLE memories ADD COLUMN {column}")
