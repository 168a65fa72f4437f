"""Glossaries, their terms, and what these are in other languages.

``spelling`` is what no two terms of one glossary and case rule share; ``folded`` is
what search looks into.
"""

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        """CREATE TABLE glossaries (
            id TEXT PRIMARY KEY,
            slug TEXT NOT NULL,
            organization_id TEXT NOT NULL REFERENCES organizations (id),
            name TEXT NOT NULL,
            folded TEXT NOT NULL,
            source_language TEXT NOT NULL,
            requires_approval BOOLEAN NOT NULL,
            term_count INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            deleted_at TEXT
        )""",
        """CREATE INDEX glossaries_by_name
            ON glossaries (organization_id, name, id) WHERE deleted_at IS NULL""",
        """CREATE INDEX glossaries_in_trash
            ON glossaries (deleted_at) WHERE deleted_at IS NOT NULL""",
        """CREATE TABLE glossary_projects (
            glossary_id TEXT NOT NULL REFERENCES glossaries (id) ON DELETE CASCADE,
            project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
            PRIMARY KEY (glossary_id, project_id)
        )""",
        "CREATE INDEX glossaries_of_project ON glossary_projects (project_id)",
        """CREATE TABLE terms (
            id TEXT PRIMARY KEY,
            glossary_id TEXT NOT NULL REFERENCES glossaries (id),
            term TEXT NOT NULL,
            spelling TEXT NOT NULL,
            do_not_translate BOOLEAN NOT NULL,
            case_sensitive BOOLEAN NOT NULL,
            usage_status TEXT NOT NULL,
            notes TEXT,
            folded TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        )""",
        """CREATE UNIQUE INDEX terms_by_spelling
            ON terms (glossary_id, case_sensitive, spelling)""",
        "CREATE INDEX terms_by_text ON terms (glossary_id, term, id)",
        """CREATE TABLE term_translations (
            term_id TEXT NOT NULL REFERENCES terms (id) ON DELETE CASCADE,
            language_code TEXT NOT NULL,
            value TEXT NOT NULL,
            status TEXT NOT NULL,
            approved_at TEXT,
            proposed_value TEXT,
            folded TEXT NOT NULL,
            PRIMARY KEY (term_id, language_code)
        )""",
    )
