"""What ours is measured against: the same statements on a raw connection."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import psycopg
from locframework_storage_peewee.postgres import OUTSIDE_SNAPSHOTS
from locframework_storage_peewee.sqlite import PRAGMAS

from locframework.storage import Storage

Statement = tuple[str, Sequence[Any]]
JSON = "application/json"
KEY = 13  # columns of a key, before those of a value


def statements_asked(storage: Storage, call: Callable[[], object]) -> list[Statement]:
    """The statements, with their parameters, of what this thread does in a call.

    Without BEGIN and COMMIT. Many rows are one statement: its parameters are rows.
    """
    database, thread = cast("Any", storage).database, threading.get_ident()
    seen: list[Statement] = []

    def listening(execute: Callable[..., object], inserts: bool) -> Any:
        def listen(connection: object, sql: str, params: Sequence[Any]) -> object:
            if threading.get_ident() == thread:
                marks = f" VALUES (?{',?' * sql.count(',')})" if inserts else ""
                seen.append((database.engine.to_driver_sql(sql + marks), list(params)))
            return execute(connection, sql, params)

        return listen

    names = ("rows", "row", "fetch", "run", "run_rows", "_run_for_each", "_insert")
    executing = {name: getattr(database, name) for name in names}
    for name, one in executing.items():
        is_write, execute, read = one.args
        listener = listening(execute, name == "_insert")
        setattr(database, name, partial(one.func, is_write, listener, read))
    try:
        call()
    finally:
        for name, one in executing.items():
            setattr(database, name, one)
    return seen


def connect(url: str) -> Any:
    """A raw connection, set as ours is; a transaction is what is begun by hand."""
    if not url.startswith("sqlite:"):
        server = psycopg.connect(url, autocommit=True)
        server.execute(OUTSIDE_SNAPSHOTS)
        return server
    connection = sqlite3.connect(
        url.removeprefix("sqlite:///"),
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    for name, value in PRAGMAS.items():
        connection.execute(f"PRAGMA {name} = {value}")
    return connection


class RawRead:
    """Asks the same statements, and makes JSON of keys and values by hand."""

    def __init__(self, url: str, statements: Sequence[Statement]) -> None:
        self._url = url
        self._statements = statements
        self._local = threading.local()

    def answer(self) -> bytes:
        """The keys with their values, in the envelope."""
        rows, texts = self._ask()
        keys = {row[0]: _key(row) for row in rows}
        for row in texts:
            keys[row[0]]["values"].append(_value(row))
        data = {"success": True, "data": {"items": list(keys.values())}}
        return json.dumps(data, ensure_ascii=False).encode()

    def _ask(self) -> tuple[list[Any], list[Any]]:
        """The rows of keys and those of values; all else is asked, too."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self._url)
        keys: list[Any] = []
        values: list[Any] = []
        for sql, params in self._statements:
            cursor = connection.execute(sql, params)
            rows = cursor.fetchall() if cursor.description else []
            if "k.description" in sql and "v.key_number" in sql:
                keys += rows
                values += [
                    (row[0], code, form, text, status, is_outdated)
                    for row in rows
                    for code, text, status, form, is_outdated in [row[KEY:]]
                ]
            elif "v.key_number" in sql:
                values += rows
            elif "k.description" in sql:
                keys += rows
        return keys, values


def _key(row: Sequence[Any]) -> dict[str, Any]:
    return {
        "id": row[0],
        "key": row[1],
        "description": row[2],
        "tags": json.loads(row[3]),
        "isPlural": bool(row[4]),
        "screenshotUrl": row[5],
        "screenshotFileId": row[6],
        "createdAt": row[KEY - 2],
        "updatedAt": row[KEY - 1],
        "values": [],
    }


def _value(row: Sequence[Any]) -> dict[str, Any]:
    return {
        "languageCode": row[1],
        "value": row[3],
        "status": row[4],
        "pluralForm": row[2],
        "isOutdated": bool(row[5]),
    }
