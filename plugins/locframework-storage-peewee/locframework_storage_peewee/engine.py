"""What SQLite and PostgreSQL do differently, behind one small interface."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

import peewee

Row = tuple[Any, ...]  # a store knows the type of each column that it asks for

Mode = Literal["write", "read"]
"""Of a block: a transaction, or a snapshot."""

Fault = Literal["lost", "busy", "full", "readonly", "clash", "wrong"]
"""What an error of the driver means.

``lost``: the connection is gone. ``busy``: the database cannot do it just now (locked,
deadlock). ``full``: the disk has no room, which somebody has to make. ``readonly``:
its file may not be written, which somebody has to allow. ``clash``: somebody else
wrote the same, or took away what this refers to, at the same time. ``wrong``: a fault
of ours.
"""

SETTING = "plugins.peewee.database"
NOT_WRITABLE = "the database file, or its folder, is not writable"
LOCK_SECONDS = 5  # how long a writer waits for others (storage.py, transaction)


class FetchedRows:
    """The result of a SELECT, read completely: what peewee needs of a cursor."""

    def __init__(self, cursor: "Cursor") -> None:
        self.description = cursor.description
        self._rows = iter(cursor.fetchall())

    def fetchone(self) -> Row | None:
        return next(self._rows, None)

    def close(self) -> None:
        pass


RunQuery = Callable[[str, Sequence[object]], FetchedRows]


class Cursor(Protocol):
    """What of a driver's cursor is used."""

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
    """What of a driver's connection is used; every statement commits by itself."""

    def execute(self, sql: str, params: Sequence[object] = ..., /) -> Cursor: ...

    def cursor(self) -> Cursor: ...

    def close(self) -> None: ...


class Engine(Protocol):
    """One kind of database, at one address.

    ``place`` says where to the operator, and to nobody else: a file; "" where the
    address may have a password. The other strings are pieces of SQL: ``for_update``
    ends a SELECT that locks what it finds until the transaction ends, ``skip_locked``
    one that takes the first row nobody else has locked. ``has_trigram_tables``: parts
    of texts are found by full-text tables; else LIKE has an index. ``merges_walks``:
    walks of indexes that are united stay in their order; else they are sorted, as far
    as they go.
    """

    errors: tuple[type[Exception], ...]  # of the driver, that ``fault`` can judge
    place: str
    for_update: str
    skip_locked: str
    has_trigram_tables: bool
    merges_walks: bool

    def is_made(self) -> bool:
        """Whether there is a database to open; ``open`` makes one that is not.

        Raises OSError where none could be made.
        """
        ...

    def make_peewee(self) -> peewee.Database:
        """Return a peewee database for this address, not connected."""
        ...

    def make_query_database(self, run: RunQuery) -> peewee.Database:
        """Return a peewee database that runs its SELECT statements by ``run``.

        It writes ``?`` for each parameter.
        """
        ...

    def open(self, database: peewee.Database) -> Connection:
        """Open this thread's connection of ``database``, and set it up."""
        ...

    def refused(self, error: Exception) -> str | None:
        """What is wrong with the address when ``open`` failed for it, in a sentence;
        None: to try again may help."""
        ...

    def migration_lock(
        self, database: peewee.Database
    ) -> AbstractContextManager[object]:
        """Let one process at a time migrate. The lock ends with its process."""
        ...

    def watch(self, call: Callable[[], None]) -> Callable[[], None]:
        """See Storage.watch."""
        ...

    def to_driver_sql(self, sql: str) -> str:
        """``sql``, which has ``?`` for each parameter, as the driver wants it."""
        ...

    def among(self, column: str) -> str:
        """The condition that ``column`` is one of ``listed(values)``: one ``?``."""
        ...

    def listed(self, values: Collection[str]) -> object:
        """The one parameter of ``among``."""
        ...

    def join_each(self, table: str, alias: str, condition: str) -> str:
        """A join that looks the rows of ``table`` up for each row before it.

        For few rows of a large table, found by an index: whatever the planner thinks.
        """
        ...

    def without_index(self, column: str) -> str:
        """The text of a column that no index is to be used for."""
        ...

    def json_rows(self, code: str, text: str, word: str) -> str:
        """An aggregate: a JSON array, as text, with an array of the columns for each
        row, in no order.

        ``code`` and ``word`` hold letters, digits, ``-`` and ``_``; ``text`` anything.
        """
        ...

    def execute(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> Cursor:
        """Run one statement, which has ``?`` for each parameter."""
        ...

    def begin(self, connection: Connection, mode: Mode) -> None:
        """Open a block."""
        ...

    def fault(self, error: Exception, connection: Connection) -> Fault: ...

    def in_transaction(self, connection: Connection) -> bool:
        """Whether there is anything to roll back."""
        ...

    def stream_cursor(self, connection: Connection) -> Cursor:
        """A cursor that keeps the rows it has not given yet in the database."""
        ...

    def insert_many(
        self,
        connection: Connection,
        table: str,
        columns: str,
        rows: Collection[Sequence[object]],
    ) -> None:
        """Add rows, the fastest way that there is."""
        ...

    def count_grown(self, connection: Connection) -> None:
        """Outside a transaction, have the planner count the tables that have grown
        much since it last did."""
        ...

    def acquire_write_lock(self) -> bool:
        """Wait for the other threads that write; False after LOCK_SECONDS."""
        ...

    def release_write_lock(self) -> None: ...

    def forget_threads(self) -> None:
        """In a forked child: the other threads are gone, with what they held."""
        ...
