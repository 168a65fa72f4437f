"""Finds parts of texts in translation memories, by trigrams in either database.

SQLite: full-text tables over the folded columns, kept by triggers; the translations
get a number for it that no VACUUM changes. PostgreSQL: indexes of pg_trgm, where the
database may have it; without it the same is found by reading everything.
"""

import peewee
from locframework_storage_peewee.ddl import run

_KEPT = """entry, language_code, status, approved_at, updated_at, is_learned, value,
    proposed_value, value_folded"""
_WITHOUT = "pg_trgm is not there: concordance search reads whole memories"


def up(migrator: object, db: peewee.Database) -> None:
    if isinstance(db, peewee.PostgresqlDatabase):
        _index_in_postgres(db)
    else:
        _number_translations(db)
        _index_in_sqlite(db, "memory_entries", "memory_sources", "source_folded")
        _index_in_sqlite(db, "memory_translations", "memory_values", "value_folded")


def _index_in_postgres(db: peewee.Database) -> None:
    run(
        db,
        f"""DO $$ BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
        EXCEPTION WHEN insufficient_privilege OR undefined_file
            OR feature_not_supported THEN RAISE WARNING '{_WITHOUT}';
        END $$""",
        """DO $$
        DECLARE place text;
        BEGIN
            SELECT n.nspname INTO place FROM pg_extension e
                JOIN pg_namespace n ON n.oid = e.extnamespace
                WHERE e.extname = 'pg_trgm';
            IF place IS NOT NULL THEN
                EXECUTE 'CREATE INDEX memory_sources ON memory_entries USING gin
                    (source_folded ' || quote_ident(place) || '.gin_trgm_ops)';
                EXECUTE 'CREATE INDEX memory_values ON memory_translations USING gin
                    (value_folded ' || quote_ident(place) || '.gin_trgm_ops)';
            END IF;
        END $$""",
    )


def _number_translations(db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE memory_translations RENAME TO memory_translations_before",
        """CREATE TABLE memory_translations (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            entry INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            status TEXT NOT NULL,
            approved_at TEXT,
            updated_at TEXT NOT NULL,
            is_learned BOOLEAN NOT NULL,
            value TEXT NOT NULL,
            proposed_value TEXT,
            value_folded TEXT NOT NULL,
            UNIQUE (entry, language_code)
        )""",
        f"""INSERT INTO memory_translations ({_KEPT})
            SELECT {_KEPT} FROM memory_translations_before""",
        "DROP TABLE memory_translations_before",
    )


def _index_in_sqlite(db: peewee.Database, table: str, index: str, column: str) -> None:
    forget = f"INSERT INTO {index} ({index}, rowid, {column}) VALUES ('delete',"
    forget += f" old.number, old.{column});"
    learn = f"INSERT INTO {index} (rowid, {column}) VALUES (new.number, new.{column});"
    run(
        db,
        f"""CREATE VIRTUAL TABLE {index} USING fts5({column}, content='{table}',
            content_rowid='number', tokenize='trigram case_sensitive 1')""",
        f"INSERT INTO {index} ({index}) VALUES ('rebuild')",
        f"""CREATE TRIGGER {index}_added AFTER INSERT ON {table}
            BEGIN {learn} END""",
        f"""CREATE TRIGGER {index}_removed AFTER DELETE ON {table}
            BEGIN {forget} END""",
        f"""CREATE TRIGGER {index}_changed AFTER UPDATE OF {column} ON {table}
            WHEN old.{column} <> new.{column} BEGIN {forget} {learn} END""",
    )
