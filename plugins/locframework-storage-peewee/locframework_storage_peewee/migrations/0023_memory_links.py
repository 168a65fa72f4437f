"""Which keys teach which entries of translation memories."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE memory_links (
            memory INTEGER NOT NULL,
            key_id TEXT NOT NULL,
            plural_form TEXT NOT NULL,
            project_id TEXT NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (memory, key_id, plural_form)
        ) WITHOUT ROWID""",
        "CREATE INDEX memory_links_to ON memory_links (entry)",
        "CREATE INDEX memory_links_of ON memory_links (project_id)",
    )
