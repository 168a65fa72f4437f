"""Projects, their languages, and their lines: what has keys of its own.

Main is a line, with the id of its project; every branch is another, with its own id.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE projects (
            id TEXT PRIMARY KEY,
            slug TEXT NOT NULL,
            organization_id TEXT NOT NULL
                REFERENCES organizations (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            description TEXT NOT NULL,
            source_language TEXT NOT NULL,
            key_separator TEXT NOT NULL,
            main_protected BOOLEAN NOT NULL,
            tm_enabled BOOLEAN NOT NULL,
            blocking_checks TEXT NOT NULL,
            check_severities TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            deleted_at TEXT
        )""",
        """CREATE INDEX projects_of_organization
            ON projects (organization_id, name, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX projects_by_name
            ON projects (name, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX projects_deleted
            ON projects (deleted_at) WHERE deleted_at IS NOT NULL""",
        """CREATE TABLE lines (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            key_count INTEGER NOT NULL,
            last_key INTEGER NOT NULL DEFAULT 0
        )""",
        "CREATE INDEX lines_of_project ON lines (project_id)",
        """CREATE TABLE languages (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            language_code TEXT NOT NULL,
            label TEXT NOT NULL,
            icon TEXT,
            direction TEXT NOT NULL,
            is_source BOOLEAN NOT NULL,
            fallback_language_code TEXT,
            plural_forms TEXT NOT NULL,
            created_at TEXT NOT NULL,
            UNIQUE (project_id, language_code)
        )""",
        "CREATE INDEX languages_in_order ON languages (project_id, id)",
    )
