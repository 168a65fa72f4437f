"""The event log. ``seq`` is the order in which events were appended."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL,
            organization_id TEXT NOT NULL,
            project_id TEXT,
            branch TEXT,
            actor_type TEXT NOT NULL,
            actor_id TEXT NOT NULL,
            items TEXT NOT NULL,
            created_at TEXT NOT NULL
        )""",
        "CREATE INDEX events_of_project ON events (project_id, seq)",
    )
