"""What has changed of the terms of a glossary since a revision, and which went."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE terms ADD COLUMN revision INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX terms_changed ON terms (glossary_id, revision)",
        """CREATE TABLE term_removals (
            glossary_id TEXT NOT NULL REFERENCES glossaries (id) ON DELETE CASCADE,
            revision INTEGER NOT NULL,
            term_id TEXT NOT NULL,
            PRIMARY KEY (glossary_id, revision, term_id)
        )""",
    )
