"""Beside each entry of a memory, what stands for all that it says: equal ones say the
same, so that matches need not read each of them.

Filled some thousand entries at a time.
"""

from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import peewee
from locframework_storage_peewee.ddl import run

ENTRIES = 1000  # at once


def up(migrator: object, db: peewee.Database) -> None:
    run(db, "ALTER TABLE memory_entries ADD COLUMN said TEXT NOT NULL DEFAULT ''")
    mark, last = db.param, 0
    update = f"UPDATE memory_entries SET said = {mark} WHERE number = {mark}"
    while (until := _end_after(db, last)) is not None:
        values = db.execute_sql(
            f"""SELECT entry, language_code, value, status FROM memory_translations
                WHERE entry > {mark} AND entry <= {mark} AND value <> ''
                ORDER BY entry""",
            (last, until),
        ).fetchall()
        told = [
            (_said([value for _, *value in group]), entry)
            for entry, group in groupby(values, key=itemgetter(0))
        ]
        if told:
            db.cursor().executemany(update, told)
        last = until


def _end_after(db: peewee.Database, entry: int) -> int | None:
    """The last of the next entries; None: there is none."""
    numbers = f"""SELECT number FROM memory_entries WHERE number > {db.param}
        ORDER BY number LIMIT {ENTRIES}"""
    found = db.execute_sql(f"SELECT max(number) FROM ({numbers}) AS n", (entry,))
    until: int | None = found.fetchone()[0]
    return until


def _said(values: list[list[str]]) -> str:
    """Language, value and status of each, as the storage puts them together."""
    text = "\0".join(part for value in sorted(values) for part in value)
    return blake2b(text.encode(), digest_size=16).hexdigest()
