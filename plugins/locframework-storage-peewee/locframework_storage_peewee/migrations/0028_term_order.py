"""Where terms stand in lists: as in a dictionary, whatever their case."""

import unicodedata

import peewee
from locframework_storage_peewee.ddl import run

LENGTH = 200  # characters that count; an index holds no more of the longest terms
ROWS = 1000


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "ALTER TABLE terms ADD COLUMN listed TEXT NOT NULL DEFAULT ''")
    select = (
        f"SELECT id, term FROM terms WHERE id > {db.param} ORDER BY id LIMIT {ROWS}"
    )
    rows = db.execute_sql(select, ("",)).fetchall()
    while rows:
        db.cursor().executemany(
            f"UPDATE terms SET listed = {db.param} WHERE id = {db.param}",
            [(_listed(term), id_) for id_, term in rows],
        )
        rows = db.execute_sql(select, (rows[-1][0],)).fetchall()
    run(
        db,
        "DROP INDEX terms_by_text",
        "CREATE INDEX terms_in_order ON terms (glossary_id, listed, id)",
    )


def _listed(term: str) -> str:
    return unicodedata.normalize("NFC", term).casefold()[:LENGTH]
