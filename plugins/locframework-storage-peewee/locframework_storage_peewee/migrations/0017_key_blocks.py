"""How many keys of a big line stand in each part of the order of their names."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE key_blocks (
            project INTEGER NOT NULL,
            first TEXT NOT NULL,
            keys INTEGER NOT NULL,
            PRIMARY KEY (project, first)
        ) WITHOUT ROWID""",
    )
