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


class RawTables:
    """Two plain tables in the database at ``url``, empty before each writing."""

    def __init__(self, url: str) -> None:
        self._connection = peers.connect(url)
        self._mark = "?" if url.startswith("sqlite:") else "%s"
        self._peewee = _peewee(url)
        self._run(
            f"""CREATE TABLE IF NOT EXISTS bench_keys ({_typed(KEY_COLUMNS)},
                PRIMARY KEY (id), UNIQUE (project_id, key))""",
            f"""CREATE TABLE IF NOT EXISTS bench_values ({_typed(VALUE_COLUMNS)},
                PRIMARY KEY (key_id, language_code, plural_form))""",
        )

    def close(self) -> None:
        self._connection.close()
        self._peewee.close()

    def empty(self) -> None:
        self._run("DELETE FROM bench_values", "DELETE FROM bench_keys")

    def count(self) -> tuple[int, int]:
        """How many keys there are, and how many values of keys that are there."""
        sql = """SELECT (SELECT count(*) FROM bench_keys), count(*) FROM bench_values v
            JOIN bench_keys k ON k.id = v.key_id"""
        keys, values = self._connection.execute(sql).fetchone()
        return keys, values

    def executemany(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        cursor = self._connection.cursor()
        cursor.execute("BEGIN")
        cursor.executemany(self._insert("bench_keys", KEY_COLUMNS), keys)
        cursor.executemany(self._insert("bench_values", VALUE_COLUMNS), values)
        cursor.execute("COMMIT")

    def insert_many(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        with self._peewee.atomic():
            for name, columns, rows in (
                ("bench_keys", KEY_COLUMNS, keys),
                ("bench_values", VALUE_COLUMNS, values),
            ):
                _insert_many(_model(self._peewee, name, columns), rows)

    def _insert(self, name: str, columns: str) -> str:
        names = columns.split()
        marks = ", ".join([self._mark] * len(names))
        return f"INSERT INTO {name} ({', '.join(names)}) VALUES ({marks})"

    def _run(self, *statements: str) -> None:
        for sql in statements:
            self._connection.execute(sql)


class SameTables:
    """Our own tables of keys with all their indexes, where nothing else is kept: in an
    SQLite file beside, or in a schema of their own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._is_sqlite = url.startswith("sqlite:")
        own = f"{url}?options=-csearch_path%3D{SCHEMA}"
        if self._is_sqlite:
            own = f"sqlite:///{folder / 'same.sqlite3'}"
        self._connection = peers.connect(own)
        self._peewee = _peewee(own)
        for sql in _schema_of(url) if self._is_sqlite else SCHEMA_LIKE_OURS:
            self._connection.execute(sql)

    def close(self) -> None:
        self._connection.close()
        self._peewee.close()

    def empty(self) -> None:
        for name in OUR_TABLES:
            how = "DELETE FROM" if self._is_sqlite else "TRUNCATE"
            self._connection.execute(f"{how} {name}")

    def count(self) -> int:
        """How many keys there are."""
        [(keys,)] = self._connection.execute("SELECT count(*) FROM keys").fetchall()
        return int(keys)

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
                _insert_many(model, rows)


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


def rows_of(
    keys: Sequence[Key], values: Sequence[StoredValue]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of both tables."""
    names = [name for name in VALUE_COLUMNS.split() if name != "plural_form"]
    return (
        [
            (
                key.id, key.project_id, key.key, key.description, "[]", key.is_plural,
                key.created_at, key.updated_at,
            )
            for key in keys
        ],
        [
            (one[0], one[1], "", *one[2:])
            for one in ([getattr(value, name) for name in names] for value in values)
        ],
    )  # fmt: skip


def _typed(columns: str) -> str:
    kinds = {"is_plural": "BOOLEAN", "is_outdated": "BOOLEAN", "revision": "INTEGER"}
    return ", ".join(f"{name} {kinds.get(name, 'TEXT')}" for name in columns.split())


def _peewee(url: str) -> Any:
    if url.startswith("sqlite:"):
        pragmas = {"journal_mode": "wal", "synchronous": "full", "cache_size": -8000}
        return peewee.SqliteDatabase(url.removeprefix("sqlite:///"), pragmas=pragmas)
    return peewee.PostgresqlDatabase(url, prefer_psycopg3=True)


def _insert_many(model: Any, rows: Sequence[Sequence[object]]) -> None:
    for at in range(0, len(rows), ROWS_AT_ONCE):
        model.insert_many(rows[at : at + ROWS_AT_ONCE]).execute()


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
