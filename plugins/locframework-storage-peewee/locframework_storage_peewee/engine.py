"""What SQLite and PostgreSQL do differently, behind one small interface."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

import peewee

Row = tuple[Any, ...]  # a store knows the type of each column that it asks for

Mode = Literal["write", "read"]
"""Of a block: a transaction, or a snapshot."""

Fault = Literal["lost", "busy", "full", "readonly", "name", "conflict", "wrong"]
"""What an error of the driver means.

``lost``: the connection is gone. ``busy``: locked, or a deadlock. ``full``: the disk is
full. ``readonly``: the file may not be written. ``name``: another record of the
organization has the name. ``conflict``: another writer violated a constraint at the
same time. ``wrong``: a fault of ours.
"""

SETTING = "plugins.peewee.database"
NOT_WRITABLE = "the database file, or its folder, is not writable"
LOCK_SECONDS = 5  # how long a writer waits for others (storage.py, transaction)


class FetchedRows:
    """The result of a SELECT, read completely: what peewee needs of a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self.description = cursor.description
        self._rows = iter(cursor.fetchall())

    def fetchone(self) -> Row | None:
        return next(self._rows, None)

    def close(self) -> None:
        pass


RunQuery = Callable[[str, Sequence[object]], FetchedRows]


class Cursor(Protocol):
    """A cursor of the driver, as far as it is used."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Sequence[Any] | None: ...

    def execute(self, sql: str, params: Sequence[object] = ..., /) -> object: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> object: ...

    def fetchone(self) -> Row | None: ...

    def fetchmany(self, size: int = ..., /) -> list[Row]: ...

    def fetchall(self) -> list[Row]: ...

    def close(self) -> None: ...


class Connection(Protocol):
    """A connection of the driver, in autocommit mode."""

    def execute(self, sql: str, params: Sequence[object] = ..., /) -> Cursor: ...

    def cursor(self) -> Cursor: ...

    def close(self) -> None: ...


class Engine(Protocol):
    """One kind of database at one address.

    ``path`` is the file, or "" where the address may have a password; only operators
    see it. ``for_update`` ends a SELECT that locks its rows until the transaction ends,
    ``skip_locked`` one that skips rows that others have locked. ``has_trigram_tables``:
    substrings are found by FTS5 tables, else by indexed LIKE. ``begin`` begins a
    transaction or a snapshot. ``write_lock`` lets one thread write at a time, where the
    database itself would not be fair.
    """

    errors: tuple[type[Exception], ...]  # of the driver, that ``fault`` classifies
    path: str
    for_update: str
    skip_locked: str
    has_trigram_tables: bool
    begin: Mapping[Mode, Callable[[Connection], object]]
    write_lock: threading.Lock | None

    def exists(self) -> bool:
        """Return whether there is a database; ``open`` creates one.

        Raise OSError where none could be created.
        """

    def make_peewee(self) -> peewee.Database:
        """Return a peewee database for this address, not connected."""

    def make_query_database(self, run: RunQuery) -> peewee.Database:
        """Return a peewee database that runs its SELECT statements by ``run``.

        It writes ``?`` for each parameter.
        """

    def open(self, database: peewee.Database) -> Connection:
        """Open and set up this thread's connection of ``database``."""

    def refused(self, error: Exception) -> str | None:
        """Return in a sentence what is wrong with the address after ``open`` failed.

        None if trying again may help.
        """

    def migration_lock(
        self, database: peewee.Database
    ) -> AbstractContextManager[object]:
        """Let one process at a time migrate. The lock ends with its process."""

    def watch(self, call: Callable[[], None]) -> Callable[[], None]:
        """See Storage.watch."""

    def to_driver_sql(self, sql: str) -> str:
        """Return SQL with ``?`` for each parameter as the driver expects it."""

    def among(self, column: str) -> str:
        """Return the condition that ``column`` is one of ``listed(values)``."""

    def listed(self, values: Collection[str]) -> object:
        """Return the one parameter of ``among``."""

    def join_each(self, table: str, alias: str, condition: str) -> str:
        """Return a nested-loop join: rows are looked up for each row before it.

        For few rows of a large table that an index finds, whatever the planner
        estimates.
        """

    def without_index(self, column: str) -> str:
        """Return the column as an expression that no index is used for."""

    def json_rows(self, code: str, text: str, word: str) -> str:
        """Return an aggregate: a JSON array with an array of the columns of each row.

        Unordered. ``code`` and ``word`` hold letters, digits, ``-`` and ``_``.
        """

    def execute(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> Cursor:
        """Execute one statement, with ``?`` for each parameter."""

    def fault(self, error: Exception, connection: Connection) -> Fault:
        """Classify an error of the driver."""

    def in_transaction(self, connection: Connection) -> bool:
        """Return whether there is anything to roll back."""

    def stream_cursor(self, connection: Connection) -> Cursor:
        """Return a cursor that leaves rows in the database until they are fetched."""

    def insert_many(
        self, connection: Connection, sql: str, rows: Sequence[Sequence[object]]
    ) -> Cursor:
        """Insert rows as fast as the database can.

        ``sql``: ``INSERT INTO table (columns)``.
        """

    def analyze_grown(self, connection: Connection) -> None:
        """Update the planner's statistics of tables that have grown much.

        Outside a transaction.
        """
