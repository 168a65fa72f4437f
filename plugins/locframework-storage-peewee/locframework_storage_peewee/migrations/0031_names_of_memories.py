"""Lists find memories by their name, and glossaries however wide its white space is."""

import re
import unicodedata

import peewee
from locframework_storage_peewee.ddl import run


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "ALTER TABLE memories ADD COLUMN folded TEXT NOT NULL DEFAULT ''")
    for table in ("memories", "glossaries"):
        named = db.execute_sql(f"SELECT id, name FROM {table}").fetchall()
        update = f"UPDATE {table} SET folded = {db.param} WHERE id = {db.param}"
        folded = [(_folded(name), id_) for id_, name in named]
        if folded:
            db.cursor().executemany(update, folded)


def _folded(text: str) -> str:
    """As locframework.folding.folded, when this was written."""
    folded = unicodedata.normalize("NFC", text).casefold()
    folded = unicodedata.normalize("NFC", re.sub("i\u0307+", "i", folded))
    return " ".join(folded.split())
