"""Branches, and which keys each has for itself.

A branch is a line (0002_projects.py): its copies of keys stand in the wide tables under
its own number. ``branch_keys`` names the keys that it does not read from main.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE branches (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            status TEXT NOT NULL,
            created_by TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            merged_at TEXT
        )""",
        """CREATE UNIQUE INDEX branches_open
            ON branches (project_id, name) WHERE status = 'open'""",
        "CREATE INDEX branches_of_project ON branches (project_id, created_at, id)",
        """CREATE INDEX branches_ended ON branches (updated_at)
            WHERE status <> 'open'""",
        """CREATE TABLE branch_keys (
            branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
            key_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            base TEXT,
            changes INTEGER NOT NULL,
            PRIMARY KEY (branch_id, key_id)
        ) WITHOUT ROWID""",
        "CREATE INDEX branch_keys_by_key ON branch_keys (key_id, branch_id)",
    )
