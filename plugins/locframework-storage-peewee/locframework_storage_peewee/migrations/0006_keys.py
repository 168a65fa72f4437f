"""Keys, their values, and the lists that they are in.

Wide tables name projects and keys by number: an index entry is half as long so. The
number of a key begins with that of its project: what is of one project lies together.
A row of ``key_lists`` says that a key belongs in a list ("#button", "de/untranslated");
a key in the trash is in none. No foreign keys: to check them costs PostgreSQL as much
as to write the values.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE keys (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            project INTEGER NOT NULL,
            key TEXT NOT NULL,
            is_plural BOOLEAN NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            deleted_at TEXT,
            screenshot_url TEXT,
            screenshot_file_id TEXT,
            tags TEXT NOT NULL,
            description TEXT NOT NULL,
            folded TEXT NOT NULL
        )""",
        """CREATE UNIQUE INDEX keys_by_name
            ON keys (project, key) WHERE deleted_at IS NULL""",
        """CREATE INDEX keys_by_creation
            ON keys (project, created_at, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX keys_by_update
            ON keys (project, updated_at, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX keys_in_trash
            ON keys (deleted_at) WHERE deleted_at IS NOT NULL""",
        """CREATE TABLE key_values (
            key_number INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            plural_form TEXT NOT NULL,
            status TEXT NOT NULL,
            is_outdated BOOLEAN NOT NULL,
            revision INTEGER NOT NULL,
            origin TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            updated_by TEXT NOT NULL,
            approved_at TEXT,
            approved_by TEXT,
            value TEXT NOT NULL,
            approved_value TEXT,
            folded TEXT NOT NULL,
            PRIMARY KEY (key_number, language_code, plural_form)
        )""",
        """CREATE TABLE key_lists (
            project INTEGER NOT NULL,
            list TEXT NOT NULL,
            key TEXT NOT NULL,
            PRIMARY KEY (project, list, key)
        ) WITHOUT ROWID""",
        """CREATE TABLE key_list_lengths (
            project INTEGER NOT NULL,
            list TEXT NOT NULL,
            keys INTEGER NOT NULL,
            PRIMARY KEY (project, list)
        ) WITHOUT ROWID""",
        """CREATE TABLE file_details (
            project INTEGER NOT NULL,
            family TEXT NOT NULL,
            language_code TEXT NOT NULL,
            key_id TEXT NOT NULL,
            module TEXT NOT NULL,
            detail TEXT NOT NULL,
            PRIMARY KEY (project, family, language_code, key_id, module)
        )""",
        "CREATE INDEX file_details_of_key ON file_details (key_id)",
    )
