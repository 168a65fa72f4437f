"""Jobs, and who works on them."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE jobs (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            type TEXT NOT NULL,
            status TEXT NOT NULL,
            done INTEGER NOT NULL,
            total INTEGER NOT NULL,
            result TEXT,
            error TEXT,
            created_by TEXT NOT NULL,
            created_at TEXT NOT NULL,
            started_at TEXT,
            finished_at TEXT,
            organization_id TEXT NOT NULL,
            permission TEXT NOT NULL,
            params TEXT NOT NULL,
            caller TEXT NOT NULL,
            owner TEXT,
            lease_until TEXT,
            attempt INTEGER NOT NULL,
            cancel_requested BOOLEAN NOT NULL
        )""",
        "CREATE INDEX jobs_of_project ON jobs (project_id, created_at, id)",
        """CREATE INDEX jobs_open ON jobs (created_at, id)
            WHERE status IN ('queued', 'running')""",
        """CREATE INDEX jobs_finished ON jobs (finished_at)
            WHERE finished_at IS NOT NULL""",
    )
