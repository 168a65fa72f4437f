"""Which entries of memories were made by keys, so that they go with them.

Of those that are there already: what is taught, and says nothing of its own.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """ALTER TABLE memory_entries
            ADD COLUMN is_learned BOOLEAN NOT NULL DEFAULT FALSE""",
        """UPDATE memory_entries SET is_learned = TRUE
            WHERE number IN (SELECT entry FROM memory_links)
            AND number NOT IN (
                SELECT entry FROM memory_translations WHERE NOT is_learned)""",
    )
