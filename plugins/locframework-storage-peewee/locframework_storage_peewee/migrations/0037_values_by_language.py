"""An index of the values of a memory by language.

A language in which few entries say anything is looked up there: without it every
translation of the memory was read.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE memory_translations ADD COLUMN memory INTEGER NOT NULL DEFAULT 0",
        """UPDATE memory_translations SET memory = (
            SELECT e.memory FROM memory_entries e
            WHERE e.number = memory_translations.entry)""",
        """CREATE INDEX memory_translations_by_language
            ON memory_translations (memory, language_code, entry)
            WHERE value <> ''""",
    )
