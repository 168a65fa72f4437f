"""Statistics: words of each text, and counts by line and language.

``changed_at`` is when a text of the language was last written or cleared on the line,
``trashed_at`` when a key of the line last went to the trash; "" is never.
"""

import peewee
from locframework_storage_peewee.ddl import run

from locframework.ports import count_words

ROWS = 1000
_TEXTS = """SELECT key_number, language_code, plural_form,
    coalesce(approved_value, value) FROM key_values"""
_ORDER = "ORDER BY key_number, language_code, plural_form"


def up(migrator: object, db: peewee.Database) -> None:
    run(
        db,
        "ALTER TABLE key_values ADD COLUMN words INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE lines ADD COLUMN trashed_at TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE language_counts (
            line INTEGER NOT NULL,
            language_code TEXT NOT NULL,
            draft INTEGER NOT NULL,
            pending_review INTEGER NOT NULL,
            approved INTEGER NOT NULL,
            outdated INTEGER NOT NULL,
            words INTEGER NOT NULL,
            approved_words INTEGER NOT NULL,
            changed_at TEXT NOT NULL,
            PRIMARY KEY (line, language_code)
        ) WITHOUT ROWID""",
    )
    _count_words(db)
    run(
        db,
        """UPDATE lines SET trashed_at = coalesce((SELECT max(k.deleted_at)
            FROM keys k WHERE k.project = lines.number), '')""",
        """INSERT INTO language_counts
            SELECT s.line, s.language_code,
                sum(CASE s.state WHEN 0 THEN 1 ELSE 0 END),
                sum(CASE s.state WHEN 1 THEN 1 ELSE 0 END),
                sum(CASE s.state WHEN 2 THEN 1 ELSE 0 END),
                sum(s.outdated), coalesce(sum(w.words), 0),
                coalesce(sum(CASE s.state WHEN 2 THEN w.words END), 0),
                max(s.changed_at)
            FROM (
                SELECT k.project AS line, v.key_number, v.language_code,
                    min(CASE v.status WHEN 'draft' THEN 0
                        WHEN 'pending_review' THEN 1 ELSE 2 END) AS state,
                    max(CASE WHEN v.is_outdated THEN 1 ELSE 0 END) AS outdated,
                    max(v.updated_at) AS changed_at
                FROM keys k JOIN key_values v ON v.key_number = k.number
                WHERE k.deleted_at IS NULL
                GROUP BY k.project, v.key_number, v.language_code) s
            LEFT JOIN (
                SELECT v.key_number, sum(v.words) AS words
                FROM key_values v JOIN keys k ON k.number = v.key_number
                JOIN lines l ON l.number = k.project
                JOIN projects p ON p.id = l.project_id
                WHERE v.language_code = p.source_language
                GROUP BY v.key_number) w ON w.key_number = s.key_number
            GROUP BY s.line, s.language_code""",
    )


def _count_words(db: peewee.Database) -> None:
    """Of every text that is there, some at a time."""
    rows = db.execute_sql(f"{_TEXTS} {_ORDER} LIMIT {ROWS}").fetchall()
    after = "(key_number, language_code, plural_form)"
    marks = ", ".join([db.param] * 3)
    update = f"""UPDATE key_values SET words = {db.param} WHERE key_number = {db.param}
        AND language_code = {db.param} AND plural_form = {db.param}"""
    while rows:
        counted = [(count_words(text), *place) for *place, text in rows]
        db.cursor().executemany(update, counted)
        rows = db.execute_sql(
            f"{_TEXTS} WHERE {after} > ({marks}) {_ORDER} LIMIT {ROWS}", rows[-1][:3]
        ).fetchall()
