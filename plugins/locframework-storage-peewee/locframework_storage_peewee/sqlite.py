"""SQLite: one file, any number of readers, one writer at a time."""

import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, compress, islice
from operator import itemgetter, methodcaller
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast

import msgspec
import peewee

from .engine import (
    LOCK_SECONDS,
    NOT_WRITABLE,
    Connection,
    Cursor,
    Fault,
    Mode,
    RunQuery,
)

PRAGMAS = {
    "journal_mode": "wal",  # readers and the writer do not block each other
    "synchronous": "full",  # a commit returns when it is on disk
    "foreign_keys": 1,
    "cache_size": -16_000,  # KiB of each connection
    "temp_store": "memory",
    "journal_size_limit": 64 * 1024 * 1024,
}
CACHED_STATEMENTS = 512  # of each connection
ROWS_AT_ONCE = 20  # of one INSERT: 1.3 times as fast as one by one
MIGRATION_SECONDS = 600  # how long a process waits while another one migrates

# the first byte of the extended result code, sqlite.org/rescode.html
_BUSY = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,  # but for those of _NOT_WRITABLE: another's recovery
    sqlite3.SQLITE_PROTOCOL,
}
_NOT_WRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_READONLY_DIRECTORY}
_CONFLICT = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
}

_REFUSALS = {
    "readonly database": NOT_WRITABLE,
    "unable to open database file": "the database file cannot be opened",
    "file is not a database": "the file of the database is not a SQLite database",
}
"""By a part of SQLite's message. No response shows the path; the log does."""

# columns declared BOOLEAN return bool, as on PostgreSQL
sqlite3.register_converter("boolean", b"1".__eq__)


class SqliteQueries(peewee.SqliteDatabase):
    """Builds SQL for peewee; ``run`` runs it."""

    def __init__(self, run: RunQuery) -> None:
        super().__init__(None)
        self._run = run

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        return self._run(sql, params or ())


class Sqlite:
    """The database in the file ``path``; folder and file are made when missing."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    for_update = ""  # BEGIN IMMEDIATE has locked everything
    skip_locked = ""
    has_trigram_tables = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.path = str(path)
        # SQLite's own waiting is not fair: single threads starved for seconds
        self.write_lock: threading.Lock | None = threading.Lock()

    def exists(self) -> bool:
        if self._path.exists():
            return True
        folders = self._path.absolute().parents
        TemporaryFile(dir=next(each for each in folders if each.exists())).close()
        return False

    def make_peewee(self) -> peewee.Database:
        return peewee.SqliteDatabase(
            str(self._path),
            pragmas=PRAGMAS,
            timeout=LOCK_SECONDS,
            cached_statements=CACHED_STATEMENTS,
            detect_types=sqlite3.PARSE_DECLTYPES,
            check_same_thread=False,  # close() closes the other threads' too
        )

    def make_query_database(self, run: RunQuery) -> peewee.Database:
        return SqliteQueries(run)

    def open(self, database: peewee.Database) -> Connection:
        self._make_file()
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                database.connect()
                connection: Connection = database.connection()
                return connection
            except peewee.OperationalError as error:
                # turning WAL on in several processes at once: SQLite does not wait
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)

    def _make_file(self) -> None:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite itself would let everybody read it
            self._path.touch(mode=0o640)

    def refused(self, error: Exception) -> str | None:
        if isinstance(error, OSError):
            return f"the database can be neither found nor made: {error.strerror}"
        text = str(error)
        return next(
            (reason for part, reason in _REFUSALS.items() if part in text), None
        )

    @contextmanager
    def migration_lock(self, database: peewee.Database) -> Iterator[None]:
        database.execute_sql(f"PRAGMA busy_timeout = {MIGRATION_SECONDS * 1000}")
        with database.atomic("EXCLUSIVE"):
            yield

    def watch(self, call: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    def to_driver_sql(self, sql: str) -> str:
        return sql

    def among(self, column: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(?))"

    def listed(self, values: Collection[str]) -> object:
        return msgspec.json.encode(list(values)).decode()

    def join_each(self, table: str, alias: str, condition: str) -> str:
        return f"CROSS JOIN {table} {alias} ON {condition}"  # keeps the order

    def without_index(self, column: str) -> str:
        return f"+{column}"

    def json_rows(self, code: str, text: str, word: str) -> str:
        return f"json_group_array(json_array({code}, {text}, {word}))"

    # called for each statement: without a function of ours in between
    execute: Callable[[Connection, str, Sequence[object]], Cursor] = staticmethod(
        cast("Any", sqlite3.Connection.execute)
    )

    # a later upgrade of a reader to a writer would fail at once
    begin: Mapping[Mode, Callable[[Connection], object]] = {
        "write": methodcaller("execute", "BEGIN IMMEDIATE"),
        "read": methodcaller("execute", "BEGIN"),
    }

    def fault(self, error: Exception, connection: Connection) -> Fault:
        code = getattr(error, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_CONSTRAINT_UNIQUE and ".folded" in str(error):
            return "name"
        if code in _CONFLICT:
            return "conflict"
        if code & 0xFF == sqlite3.SQLITE_FULL:
            return "full"
        if code in _NOT_WRITABLE:
            return "readonly"
        return "busy" if code & 0xFF in _BUSY else "wrong"

    def in_transaction(self, connection: Connection) -> bool:
        return bool(getattr(connection, "in_transaction", False))

    def stream_cursor(self, connection: Connection) -> Cursor:
        return connection.cursor()

    def insert_many(
        self, connection: Connection, sql: str, rows: Sequence[Sequence[object]]
    ) -> Cursor:
        cursor, rest = connection.cursor(), iter(rows)
        if len(rows) >= ROWS_AT_ONCE:
            values = _constant_values(rows)
            placeholders = ",".join([f"({','.join(values)})"] * ROWS_AT_ONCE)
            is_bound = [each == "?" for each in values] * ROWS_AT_ONCE
            some = (
                islice(rest, ROWS_AT_ONCE) for _ in range(len(rows) // ROWS_AT_ONCE)
            )
            cursor.executemany(
                f"{sql} VALUES {placeholders}",
                (tuple(compress(chain.from_iterable(each), is_bound)) for each in some),
            )
        cursor.executemany(f"{sql} VALUES (?{',?' * sql.count(',')})", rest)
        return cursor

    def analyze_grown(self, connection: Connection) -> None:
        pass  # its plans follow from how the statements are written


def _constant_values(rows: Collection[Sequence[object]]) -> list[str]:
    """Return each column's place in VALUES: NULL, TRUE or FALSE if all rows have it.

    Binding one of these takes four times as long as binding a text.
    """
    words = {None: "NULL", True: "TRUE", False: "FALSE"}
    return [
        words[value]
        if (value is None or isinstance(value, bool))
        and {*map(itemgetter(at), rows)} == {value}
        else "?"
        for at, value in enumerate(next(iter(rows)))
    ]
