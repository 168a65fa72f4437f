"""Makes tables the same in both databases. Migrations use it, so it never changes.

Migrations write SQLite's dialect; PostgreSQL gets its own words for it: text that
compares and sorts by code point, as SQLite's does, and 64-bit integers.
"""

import re

import peewee

_POSTGRES = (
    (
        r"\bINTEGER PRIMARY KEY AUTOINCREMENT\b",
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    ),
    (r"\bINTEGER\b", "BIGINT"),
    (r"\bTEXT\b", 'TEXT COLLATE "C"'),
    (r"\bWITHOUT ROWID\b", ""),
)


def run(database: peewee.Database, *statements: str) -> None:
    """Run each statement, in order."""
    for statement in statements:
        if isinstance(database, peewee.PostgresqlDatabase):
            for pattern, words in _POSTGRES:
                statement = re.sub(pattern, words, statement)
        database.execute_sql(statement)
