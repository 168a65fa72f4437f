"""Data definition for both databases, written in SQLite's dialect.

On PostgreSQL text compares and sorts by code point, as it does on SQLite, and integers
have 64 bits.
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
    """Execute the statements in order, translated for PostgreSQL."""
    for statement in statements:
        if isinstance(database, peewee.PostgresqlDatabase):
            for pattern, replacement in _POSTGRES:
                statement = re.sub(pattern, replacement, statement)
        database.execute_sql(statement)
