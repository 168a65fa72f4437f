"""Texts of before, as search compares them now: İ is i, and all is composed.

Memory entries get a new revision, so that matchers read them anew.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import peewee

ROWS = 1000
LISTED = 200  # as 0028_term_order
# Where none of these marks is, folding left nothing that is another now.
MARKS = "\u0300\u0301\u0307\u0308\u030a\u030c\u0313\u0331\u0342"
Row = tuple[Any, ...]


def up(migrator: object, db: peewee.Database) -> None:
    _rename_terms(db)
    _refold(db, "keys", "folded", "number")
    _refold(db, "key_values", "folded", "key_number", "language_code", "plural_form")
    _refold(db, "glossaries", "folded", "id")
    _refold(db, "terms", "folded", "id")
    _refold(db, "term_translations", "folded", "term_id", "language_code")
    sources = _refold(db, "memory_entries", "source_folded", "number")
    values = _refold(
        db, "memory_translations", "value_folded", "entry", "language_code"
    )
    for entry in sorted({row[0] for row in (*sources, *values)}):
        _revise(db, entry)


def _refold(db: peewee.Database, table: str, column: str, *key: str) -> list[Row]:
    """Answers the keys of the rows that changed."""
    found = list(_folding_otherwise(db, table, column, *key))
    same = " AND ".join(f"{name} = {db.param}" for name in key)
    update = f"UPDATE {table} SET {column} = {db.param} WHERE {same}"
    for at in range(0, len(found), ROWS):
        some = [(_fold(folded), *of) for *of, folded in found[at : at + ROWS]]
        db.cursor().executemany(update, some)
    return [tuple(of) for *of, _ in found]


def _folding_otherwise(
    db: peewee.Database, table: str, column: str, *key: str
) -> Iterator[Row]:
    """The rows whose folded text is another now: the key, and what it was."""
    marked = " OR ".join(f"{column} LIKE {db.param}" for _ in MARKS)
    select = f"SELECT {', '.join(key)}, {column} FROM {table} WHERE {marked}"
    cursor = db.execute_sql(select, tuple(f"%{mark}%" for mark in MARKS))
    while rows := cursor.fetchmany(ROWS):
        yield from (row for row in rows if _fold(row[-1]) != row[-1])


def _rename_terms(db: peewee.Database) -> None:
    """What no two terms share, and where they stand in lists."""
    for id_, _ in list(_folding_otherwise(db, "terms", "folded", "id")):
        select = "SELECT term, glossary_id, case_sensitive FROM terms WHERE id ="
        found = db.execute_sql(f"{select} {db.param}", (id_,)).fetchall()
        [(term, glossary_id, case_sensitive)] = found
        folded = _fold(term)
        _set_of_term(db, id_, "listed", folded[:LISTED])
        if not case_sensitive and not _is_taken(db, glossary_id, folded):
            _set_of_term(db, id_, "spelling", folded)


def _is_taken(db: peewee.Database, glossary_id: str, spelling: str) -> bool:
    """Two terms that are one by now both stay, the later under its old spelling."""
    mark = db.param
    found = db.execute_sql(
        f"""SELECT 1 FROM terms WHERE glossary_id = {mark}
            AND NOT case_sensitive AND spelling = {mark}""",
        (glossary_id, spelling),
    )
    return found.fetchone() is not None


def _set_of_term(db: peewee.Database, id_: str, column: str, text: str) -> None:
    update = f"UPDATE terms SET {column} = {db.param} WHERE id = {db.param}"
    db.execute_sql(update, (text, id_))


def _revise(db: peewee.Database, entry: int) -> None:
    of = f"(SELECT memory FROM memory_entries WHERE number = {db.param})"
    db.execute_sql(
        f"UPDATE memories SET revision = revision + 1 WHERE number = {of}", (entry,)
    )
    db.execute_sql(
        f"""UPDATE memory_entries SET revision = (SELECT m.revision FROM memories m
            WHERE m.number = memory) WHERE number = {db.param}""",
        (entry,),
    )


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", re.sub("i\u0307+", "i", folded))
