"""Indexes for entries of a memory by their last change, and for values not said yet.

Without them a page of the latest changes sorted all entries of the memory, and to take
a language from it read all of them, however few have it.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE INDEX memory_entries_by_update
            ON memory_entries (memory, updated_at, number)""",
        """CREATE INDEX memory_translations_unsaid
            ON memory_translations (memory, language_code, entry)
            WHERE value = ''""",
    )
