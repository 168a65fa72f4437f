"""Files of projects, which keys name as their screenshots."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE files (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            content_type TEXT NOT NULL,
            byte_size INTEGER NOT NULL,
            blob TEXT NOT NULL,
            store TEXT NOT NULL,
            created_at TEXT NOT NULL,
            unused_since TEXT,
            looked_at TEXT NOT NULL
        )""",
        "CREATE INDEX files_of_project ON files (project_id)",
        "CREATE INDEX files_by_blob ON files (blob)",
        "CREATE INDEX files_by_look ON files (looked_at)",
        """CREATE INDEX files_unused ON files (unused_since)
            WHERE unused_since IS NOT NULL""",
        """CREATE INDEX keys_by_file ON keys (screenshot_file_id)
            WHERE screenshot_file_id IS NOT NULL""",
    )
