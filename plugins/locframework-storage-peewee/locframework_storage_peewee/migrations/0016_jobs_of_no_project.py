"""Jobs of no project, about a glossary or a translation memory.

SQLite cannot let a column be null afterwards, so the table is made anew.
"""

import peewee
from locframework_storage_peewee.ddl import run

_COLUMNS = """id, project_id, type, status, done, total, result, error, created_by,
    created_at, started_at, finished_at, organization_id, permission, params, caller,
    owner, lease_until, attempt, cancel_requested, step, step_attempt"""


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE jobs_anew (
            id TEXT PRIMARY KEY,
            project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
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
            cancel_requested BOOLEAN NOT NULL,
            step TEXT,
            step_attempt INTEGER NOT NULL DEFAULT 0,
            subject_id TEXT
        )""",
        f"INSERT INTO jobs_anew ({_COLUMNS}) SELECT {_COLUMNS} FROM jobs",
        "DROP TABLE jobs",
        "ALTER TABLE jobs_anew RENAME TO jobs",
        "CREATE INDEX jobs_of_project ON jobs (project_id, created_at, id)",
        """CREATE INDEX jobs_open ON jobs (created_at, id)
            WHERE status IN ('queued', 'running')""",
        """CREATE INDEX jobs_finished ON jobs (finished_at)
            WHERE finished_at IS NOT NULL""",
    )
