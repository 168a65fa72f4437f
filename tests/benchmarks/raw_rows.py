"""The same keys and values by executemany, and by peewee's insert_many.

Into tables of the least that could hold them: a primary key each, and keys unique by
name. One transaction, in the order of the ids. Or all rows that ours keeps of them,
into tables like ours: the same work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import peers
import peewee

from locframework.keys.records import Key, StoredValue
from locframework.storage import Storage

KEY_COLUMNS = "id project_id key description tags is_plural created_at updated_at"
VALUE_COLUMNS = """key_id language_code plural_form value status is_outdated revision
    origin approved_value approved_at approved_by updated_at updated_by"""
NUMBER_COLUMNS = "revision words project number key_number"
FLAG_COLUMNS = "is_plural is_outdated approved_outdated keeps_fresh"
OUR_TABLES = ["keys", "key_values", "key_tags"]
Write = tuple[str, str, Sequence[Sequence[object]]]  # table, columns, rows
ROWS_AT_ONCE = 1000  # SQLite takes no more parameters than 32,766
SCHEMA = "bench_same"
SCHEMA_LIKE_OURS = [
    f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
    *(
        f"""CREATE TABLE IF NOT EXISTS {SCHEMA}.{name}
            (LIKE public.{name} INCLUDING ALL)"""
        for name in OUR_TABLES
    ),
]


class Tables:
    """Tables beside ours, in which nothing else is kept."""

    def __init__(self, url: str, names: Sequence[str], schema: Sequence[str]) -> None:
        self._is_sqlite = url.startswith("sqlite:")
        self._names = names
        self._connection = peers.connect(url)
        self._peewee = _peewee(url)
        for sql in schema:
            self._connection.execute(sql)

    def close(self) -> None:
        self._connection.close()
        self._peewee.close()

    def empty(self) -> None:
        for name in self._names:
            how = "DELETE FROM" if self._is_sqlite else "TRUNCATE"
            self._connection.execute(f"{how} {name}")

    def count(self, name: str) -> int:
        """How many rows a table has."""
        sql = f"SELECT count(*) FROM {name}"
        [(rows,)] = self._connection.execute(sql).fetchall()
        return int(rows)

    def executemany(self, writes: Sequence[Write]) -> None:
        cursor = self._connection.cursor()
        cursor.execute("BEGIN")
        for table, columns, rows in writes:
            mark = "?" if self._is_sqlite else "%s"
            marks = ", ".join([mark] * len(columns.split(",")))
            into = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
            cursor.executemany(into, rows)
        cursor.execute("COMMIT")

    def insert_many(self, writes: Sequence[Write]) -> None:
        with self._peewee.atomic():
            for table, columns, rows in writes:
                model = _model(self._peewee, table, columns.replace(",", " "))
                for at in range(0, len(rows), ROWS_AT_ONCE):
                    model.insert_many(rows[at : at + ROWS_AT_ONCE]).execute()


def plain_tables(url: str) -> Tables:
    """Two tables of the least that could hold keys and values, in the database."""
    schema = [
        f"""CREATE TABLE IF NOT EXISTS bench_keys ({_typed(KEY_COLUMNS)},
            PRIMARY KEY (id), UNIQUE (project_id, key))""",
        f"""CREATE TABLE IF NOT EXISTS bench_values ({_typed(VALUE_COLUMNS)},
            PRIMARY KEY (key_id, language_code, plural_form))""",
    ]
    return Tables(url, ["bench_values", "bench_keys"], schema)


def same_tables(url: str, folder: Path) -> Tables:
    """Our own tables of keys with all their indexes: in an SQLite file beside, or in a
    schema of their own."""
    if url.startswith("sqlite:"):
        own, schema = f"sqlite:///{folder / 'same.sqlite3'}", _schema_of(url)
    else:
        own, schema = f"{url}?options=-csearch_path%3D{SCHEMA}", SCHEMA_LIKE_OURS
    return Tables(own, OUR_TABLES, schema)


def _schema_of(url: str) -> list[str]:
    """What makes our tables and their indexes in another SQLite file."""
    with closing(peers.connect(url)) as ours:
        schema = ours.execute(
            """SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
                AND tbl_name IN (SELECT value FROM json_each(?))
                ORDER BY type DESC""",
            (json.dumps(OUR_TABLES),),
        ).fetchall()
    begun = [sql.replace(" TABLE ", " TABLE IF NOT EXISTS ", 1) for (sql,) in schema]
    return [sql.replace(" INDEX ", " INDEX IF NOT EXISTS ") for sql in begun]


def rows_written(storage: Storage, call: Callable[[], object]) -> list[Write]:
    """What a call adds to our tables of keys, many rows at once."""
    database = cast("Any", storage).database
    insert_many = database.insert_many
    seen: list[Write] = []

    def listen(table: str, columns: str, rows: Any) -> None:
        if table in OUR_TABLES:
            seen.append((table, columns, list(rows)))
        insert_many(table, columns, rows)

    database.insert_many = listen
    try:
        call()
    finally:
        del database.insert_many
    return seen


def rows_of(keys: Sequence[Key], values: Sequence[StoredValue]) -> list[Write]:
    """The rows of both plain tables."""
    names = [name for name in VALUE_COLUMNS.split() if name != "plural_form"]
    key_rows = [
        (
            key.id, key.project_id, key.key, key.description, "[]", key.is_plural,
            key.created_at, key.updated_at,
        )
        for key in keys
    ]  # fmt: skip
    value_rows = [
        (one[0], one[1], "", *one[2:])
        for one in ([getattr(value, name) for name in names] for value in values)
    ]
    return [
        ("bench_keys", ", ".join(KEY_COLUMNS.split()), key_rows),
        ("bench_values", ", ".join(VALUE_COLUMNS.split()), value_rows),
    ]


def _typed(columns: str) -> str:
    kinds = {"is_plural": "BOOLEAN", "is_outdated": "BOOLEAN", "revision": "INTEGER"}
    return ", ".join(f"{name} {kinds.get(name, 'TEXT')}" for name in columns.split())


def _peewee(url: str) -> Any:
    if url.startswith("sqlite:"):
        pragmas = {"journal_mode": "wal", "synchronous": "full", "cache_size": -8000}
        return peewee.SqliteDatabase(url.removeprefix("sqlite:///"), pragmas=pragmas)
    return peewee.PostgresqlDatabase(url, prefer_psycopg3=True)


def _model(database: Any, name: str, columns: str) -> Any:
    numbers = dict.fromkeys(NUMBER_COLUMNS.split(), peewee.BigIntegerField)
    flags = dict.fromkeys(FLAG_COLUMNS.split(), peewee.BooleanField)
    kinds = {**numbers, **flags}
    how = {"database": database, "table_name": name, "primary_key": False}
    meta = type("Meta", (), how)
    fields = {
        each: kinds.get(each, peewee.TextField)(null=True) for each in columns.split()
    }
    return type(name, (peewee.Model,), {"Meta": meta, **fields})
