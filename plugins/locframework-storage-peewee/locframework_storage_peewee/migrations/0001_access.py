"""Organizations, users, members, tokens."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE organizations (
            id TEXT PRIMARY KEY,
            slug TEXT NOT NULL,
            name TEXT NOT NULL,
            tm_enabled BOOLEAN NOT NULL,
            delivery_quota TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        )""",
        "CREATE INDEX organizations_by_name ON organizations (name, id)",
        """CREATE TABLE users (
            id TEXT PRIMARY KEY,
            email TEXT NOT NULL,
            email_folded TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            is_active BOOLEAN NOT NULL,
            created_at TEXT NOT NULL
        )""",
        """CREATE TABLE members (
            id TEXT PRIMARY KEY,
            organization_id TEXT NOT NULL
                REFERENCES organizations (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            assigned_languages TEXT,
            project_ids TEXT,
            created_at TEXT NOT NULL,
            UNIQUE (user_id, organization_id)
        )""",
        "CREATE INDEX members_by_role ON members (organization_id, role)",
        """CREATE TABLE tokens (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            prefix TEXT NOT NULL,
            permissions TEXT NOT NULL,
            project_id TEXT,
            assigned_languages TEXT,
            expires_at TEXT,
            last_used_at TEXT,
            created_at TEXT NOT NULL,
            sha256 TEXT NOT NULL UNIQUE,
            user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
            organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
            revoked_at TEXT
        )""",
        """CREATE INDEX tokens_of_user ON tokens (user_id, created_at, id)
            WHERE revoked_at IS NULL""",
        "CREATE INDEX tokens_of_project ON tokens (project_id, created_at, id)",
    )
