"""Distributions, releases and their files, and what was delivered."""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE distributions (
            id TEXT PRIMARY KEY,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            public_key TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            channel TEXT NOT NULL,
            format TEXT NOT NULL,
            language_codes TEXT,
            branch TEXT,
            split_by_module BOOLEAN NOT NULL,
            min_status TEXT NOT NULL,
            missing TEXT NOT NULL,
            auto_publish BOOLEAN NOT NULL,
            storage TEXT NOT NULL,
            status TEXT NOT NULL,
            current_release_id TEXT,
            last_version INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        )""",
        "CREATE INDEX distributions_of_project ON distributions (project_id, name, id)",
        """CREATE TABLE releases (
            id TEXT PRIMARY KEY,
            distribution_id TEXT NOT NULL
                REFERENCES distributions (id) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            status TEXT NOT NULL,
            content_hash TEXT,
            file_count INTEGER NOT NULL,
            byte_size INTEGER NOT NULL,
            rolled_back_from INTEGER,
            note TEXT NOT NULL,
            warnings TEXT NOT NULL,
            error TEXT,
            created_by TEXT NOT NULL,
            published_at TEXT,
            storage TEXT NOT NULL,
            snapshot TEXT,
            UNIQUE (distribution_id, version)
        )""",
        """CREATE INDEX releases_building ON releases (distribution_id)
            WHERE status = 'building'""",
        """CREATE TABLE release_files (
            release_id TEXT NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            language TEXT NOT NULL,
            module TEXT,
            path TEXT NOT NULL,
            blob TEXT NOT NULL,
            byte_size INTEGER NOT NULL,
            content_type TEXT NOT NULL,
            PRIMARY KEY (release_id, position)
        ) WITHOUT ROWID""",
        "CREATE INDEX release_files_by_blob ON release_files (blob, release_id)",
        """CREATE TABLE delivery_usage (
            organization_id TEXT NOT NULL
                REFERENCES organizations (id) ON DELETE CASCADE,
            month TEXT NOT NULL,
            requests INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (organization_id, month)
        ) WITHOUT ROWID""",
    )
