"""What is noted about the files in blob stores."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE blob_notes (
            store TEXT NOT NULL,
            name TEXT NOT NULL,
            byte_size INTEGER NOT NULL,
            keep_until TEXT NOT NULL,
            PRIMARY KEY (store, name)
        ) WITHOUT ROWID""",
        "CREATE INDEX blob_notes_by_age ON blob_notes (keep_until, store, name)",
    )
