"""Translation memories, their languages and entries, and which projects use them.

Wide tables name memories and entries by number. ``digest`` stands for source text and
context, which are too long for an index. ``revision`` of a memory goes up with every
transaction that changes its entries; what was changed in it has the number, what was
removed is noted with it.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE memories (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            organization_id TEXT NOT NULL
                REFERENCES organizations (id) ON DELETE CASCADE,
            slug TEXT NOT NULL,
            name TEXT NOT NULL,
            source_language TEXT NOT NULL,
            min_match_percentage INTEGER NOT NULL,
            penalties TEXT NOT NULL,
            requires_approval BOOLEAN NOT NULL,
            entry_count INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            deleted_at TEXT
        )""",
        """CREATE INDEX memories_of_organization
            ON memories (organization_id, name, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX memories_deleted
            ON memories (deleted_at) WHERE deleted_at IS NOT NULL""",
        """CREATE TABLE memory_languages (
            id TEXT PRIMARY KEY,
            memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
            language_code TEXT NOT NULL,
            label TEXT NOT NULL,
            UNIQUE (memory_id, language_code)
        )""",
        """CREATE TABLE memory_assignments (
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
            is_read BOOLEAN NOT NULL,
            write_mode TEXT NOT NULL,
            priority INTEGER NOT NULL,
            penalty INTEGER NOT NULL,
            PRIMARY KEY (project_id, memory_id)
        )""",
        "CREATE INDEX memory_assignments_of ON memory_assignments (memory_id)",
        """CREATE TABLE memory_entries (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            memory INTEGER NOT NULL,
            digest TEXT NOT NULL,
            revision INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            context TEXT NOT NULL,
            source_text TEXT NOT NULL,
            source_folded TEXT NOT NULL
        )""",
        """CREATE UNIQUE INDEX memory_entries_by_text
            ON memory_entries (memory, digest)""",
        "CREATE INDEX memory_entries_in_order ON memory_entries (memory, number)",
        "CREATE INDEX memory_entries_changed ON memory_entries (memory, revision)",
        """CREATE TABLE memory_translations (
            entry INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            status TEXT NOT NULL,
            approved_at TEXT,
            updated_at TEXT NOT NULL,
            is_learned BOOLEAN NOT NULL,
            value TEXT NOT NULL,
            proposed_value TEXT,
            value_folded TEXT NOT NULL,
            PRIMARY KEY (entry, language_code)
        )""",
        """CREATE TABLE memory_removals (
            memory INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            entry_id TEXT NOT NULL,
            PRIMARY KEY (memory, revision, entry)
        ) WITHOUT ROWID""",
    )
