"""What values were before: a row for each revision that is not the newest one.

The newest revision of a value is its row in ``key_values``; a value that was cleared
has a row here that says so. A new value writes nothing here.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE key_values ADD COLUMN actor_type TEXT NOT NULL DEFAULT 'user'",
        "ALTER TABLE key_values ADD COLUMN reason TEXT",
        "ALTER TABLE key_values ADD COLUMN note TEXT",
        """CREATE TABLE value_revisions (
            key_number INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            plural_form TEXT NOT NULL,
            revision INTEGER NOT NULL,
            status TEXT NOT NULL,
            is_outdated BOOLEAN NOT NULL,
            origin TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            updated_by TEXT NOT NULL,
            actor_type TEXT NOT NULL,
            approved_at TEXT,
            approved_by TEXT,
            reason TEXT,
            note TEXT,
            value TEXT NOT NULL,
            approved_value TEXT,
            PRIMARY KEY (key_number, language_code, plural_form, revision)
        )""",
        """CREATE INDEX value_revisions_cleared ON value_revisions (key_number)
            WHERE status = 'untranslated'""",
    )
