"""What checks found in the texts of keys.

A row is one finding, of a key in a language; ``place`` is its place among those. It
repeats the name of the key, so that a list is the walk of one index. Keys in the trash
have none.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE findings (
            key_number INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            place INTEGER NOT NULL,
            project INTEGER NOT NULL,
            key TEXT NOT NULL,
            check_name TEXT NOT NULL,
            plural_form TEXT NOT NULL,
            start_at INTEGER NOT NULL,
            end_at INTEGER NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (key_number, language_code, place)
        ) WITHOUT ROWID""",
        """CREATE INDEX findings_by_key
            ON findings (project, key, language_code, check_name)""",
        """CREATE INDEX findings_by_language
            ON findings (project, language_code, key, check_name)""",
    )
