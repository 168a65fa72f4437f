"""Statements and transactions on one database, with a connection for each thread; and
pieces of SQL: conditions with their parameters, INSERT statements, JSON.

Statements are SQL that both databases read, with ``?`` for each parameter::

    row = database.row("SELECT name FROM projects WHERE id = ?", (project_id,))

``rows``, ``row`` and ``fetch`` read. Outside a transaction they are tried again when
the connection is lost, so statements that write and return rows (RETURNING) belong
inside ``transaction()``. ``run`` and ``run_many`` write, in a transaction of their own
if none is open.

Values are always parameters: a ``?`` in a literal would be taken for one. Columns
declared BOOLEAN return ``bool``; expressions on SQLite do not. A list is one
parameter::

    database.rows(f"SELECT id FROM projects WHERE {database.among('id')}",
                  (database.listed(ids),))

Errors of the driver that may pass become Unavailable. After an error in a transaction,
the transaction cannot commit. Tests set ``on_statement``, which is called with the SQL
of each statement; BEGIN and COMMIT are not counted, and many rows are one.
"""

import logging
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache, partial
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import Struct

from locframework.ports import (
    NameExists,
    Page,
    PageRequest,
    SortedRequest,
    Unavailable,
)

from .connections import Session, Sessions, first_line
from .engine import (
    LOCK_SECONDS,
    NOT_WRITABLE,
    Connection,
    Cursor,
    Engine,
    FetchedRows,
    Mode,
    Row,
)

T = TypeVar("T")
Result = TypeVar("Result", covariant=True)
STREAM_ROWS = 1000
GROWTH = 1000  # rows inserted until the planner's statistics are looked at

_REASONS = {
    "conflict": "somebody else has just changed the same; try again",
    "full": "the database has no room left on its disk",
    "readonly": NOT_WRITABLE,
    "busy": "the database is busy; try again",
    "lost": "the database does not answer; try again",
}

_ALL: Callable[[Cursor], list[Row]] = methodcaller("fetchall")
_FIRST: Callable[[Cursor], Row | None] = methodcaller("fetchone")
_COUNT: Callable[[Cursor], int] = attrgetter("rowcount")
_COMMIT: Callable[[Connection], object] = methodcaller("execute", "COMMIT")

log = logging.getLogger("locframework.storage")


class Statement(Protocol[Result]):
    """A method that executes SQL with its parameters."""

    def __call__(self, sql: str, params: Sequence[object] = ..., /) -> Result: ...


class Database:
    """Connections, statements and transactions; threads may share it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.on_statement: list[Callable[[str], None]] | None = None
        self._sessions = Sessions(engine)
        self._inserted = 0  # in all threads, about
        # once for each statement: as attributes, they are found without a call
        self.among = lru_cache(engine.among)
        """Returns the condition that a column is one of ``listed(values)``."""
        self.listed = engine.listed
        """Returns the one parameter of ``among``."""
        reads, writes = partial(self._run, False), partial(self._run, True)
        self.rows: Statement[list[Row]] = partial(reads, engine.execute, _ALL)
        """Returns all rows of a reading statement."""
        self.row: Statement[Row | None] = partial(reads, engine.execute, _FIRST)
        """Returns the first row, or None."""
        self.fetch: Statement[FetchedRows] = partial(reads, engine.execute, FetchedRows)
        """Returns the rows with the names of their columns, for peewee."""
        self.run: Statement[int] = partial(writes, engine.execute, _COUNT)
        """Writes; returns the number of rows."""
        self.run_rows: Statement[list[Row]] = partial(writes, engine.execute, _ALL)
        """Writes; returns all rows of the statement (RETURNING)."""
        self._run_for_each: Statement[int] = partial(writes, self._executemany, _COUNT)
        self._insert: Statement[int] = partial(writes, engine.insert_many, _COUNT)
        self.transaction: Callable[..., AbstractContextManager[None]] = partial(
            self._block, "write"
        )
        """See Transactions.transaction (locframework/transactions.py)."""
        self.snapshot: Callable[[], AbstractContextManager[None]] = partial(
            self._block, "read"
        )
        """See Transactions.snapshot."""
        self.peewee = engine.make_query_database(self.fetch)

    # statements

    def run_many(self, sql: str, rows: Collection[Sequence[object]]) -> int:
        """Write the statement once for each row; return the number of rows."""
        if not rows:
            return 0
        if len(rows) == 1:  # psycopg's executemany takes half as long again for one
            return self.run(sql, *rows)
        return self._run_for_each(sql, list(rows))

    def insert_many(
        self, table: str, columns: str, rows: Sequence[Sequence[object]]
    ) -> None:
        """Insert new rows, as fast as the database can."""
        if not rows:
            return
        self._insert(f"INSERT INTO {table} ({columns})", rows)
        self._inserted += len(rows)
        waiting = self._sessions.here.session.after_commit
        if self._inserted >= GROWTH and self._analyze_grown not in waiting:
            self.after_commit(self._analyze_grown)

    def _analyze_grown(self) -> None:
        self._inserted = 0
        self._call(self.engine.analyze_grown)

    def rows_of(self, ids: Collection[str], sql: str, *params: object) -> list[Row]:
        """Return the rows for any number of ids: the first ``?`` is that of ``among``,
        the others are ``params``."""
        found: list[Row] = []
        for some in chunks(ids):
            found += self.rows(sql, (self.listed(some), *params))
        return found

    def stream(self, sql: str, params: Sequence[object] = ()) -> Iterator[Row]:
        """Return rows one by one in flat memory; in a snapshot if no block is open."""
        if not self._sessions.here.session.depth:
            with self.snapshot():
                yield from self.stream(sql, params)
            return

        def open_cursor(connection: Connection) -> Cursor:
            cursor = self.engine.stream_cursor(connection)
            cursor.execute(self.engine.to_driver_sql(sql), params)
            return cursor

        for call in self.on_statement or ():
            call(sql)
        cursor = self._call(open_cursor)
        try:
            while some := self._call(lambda _: cursor.fetchmany(STREAM_ROWS)):
                yield from some
        finally:
            if self._sessions.here.session.connection is not None:
                self._call(lambda _: cursor.close())

    # transactions

    def before_commit(
        self, name: Hashable, begin: Callable[[], Callable[[], None]]
    ) -> None:
        """See Transactions.before_commit."""
        self.require_transaction()
        calls = self._sessions.here.session.before_commit
        if name not in calls:
            calls[name] = begin()

    def after_commit(self, call: Callable[[], None]) -> None:
        """See Transactions.after_commit."""
        session = self._sessions.here.session
        session.after_commit.append(call)
        if not session.depth:
            _run_after_commit(session)

    def require_transaction(self) -> None:
        """Raise RuntimeError unless a transaction is open."""
        session = self._sessions.here.session
        if not session.depth or session.mode != "write":
            raise RuntimeError("this needs an open transaction")

    @property
    def is_in_block(self) -> bool:
        """Whether this thread has a transaction or snapshot open."""
        return self._sessions.here.session.depth > 0

    def require_open(self) -> None:
        """Raise Unavailable after ``close``."""
        self._sessions.require_open()

    def drop_connections(self) -> None:
        """Close the connections of all threads; later statements open new ones."""
        self._sessions.drop()

    def close(self) -> None:
        """Close the connections of all threads; later statements are Unavailable."""
        self._sessions.close()

    def _executemany(
        self, connection: Connection, sql: str, rows: Iterable[Sequence[object]]
    ) -> Cursor:
        cursor = connection.cursor()
        cursor.executemany(self.engine.to_driver_sql(sql), rows)
        return cursor

    def _run(
        self,
        is_write: bool,
        execute: Callable[[Connection, str, Sequence[Any]], Cursor],
        read: Callable[[Cursor], T],
        sql: str,
        params: Sequence[Any] = (),
    ) -> T:
        """Execute a statement, and return what ``read`` reads of its cursor.

        Every statement is executed here, so there are no helpers.
        """
        session = self._sessions.here.session
        if is_write:
            if not session.depth or session.mode != "write":
                with self.transaction():
                    return self._run(is_write, execute, read, sql, params)
            session.writes += 1
        for call in self.on_statement or ():
            call(sql)
        connection = session.connection or self._sessions.connect(session)
        try:
            with session.lock:
                return read(execute(connection, sql, params))
        except self.engine.errors as error:
            self._fail(session, connection, error)
            return self._call(lambda c: read(execute(c, sql, params)), tries=1)

    def _call(self, execute: Callable[[Connection], T], tries: int = 2) -> T:
        """Call with this thread's connection; translate errors of the driver."""
        session = self._sessions.here.session
        connection = session.connection or self._sessions.connect(session)
        try:
            with session.lock:
                return execute(connection)
        except self.engine.errors as error:
            self._fail(session, connection, error, may_repeat=tries > 1)
            return self._call(execute, tries=1)

    def _fail(
        self,
        session: Session,
        connection: Connection,
        error: Exception,
        *,
        may_repeat: bool = True,
    ) -> None:
        """Raise an error of the driver, as Unavailable if trying again may help.

        Returns if the connection was lost outside a transaction and ``may_repeat``:
        then the statement may run once more, on another connection.
        """
        fault = self.engine.fault(error, connection)
        raised = error
        if fault == "name":
            raised = NameExists()
        elif fault != "wrong":
            level = logging.ERROR if fault in ("full", "readonly") else logging.WARNING
            log.log(level, "database %s: %s", fault, first_line(error))
            raised = Unavailable(_REASONS[fault])
        if session.depth and session.failure is None:
            session.failure = raised
        if fault == "lost":
            session.drop()
            if may_repeat and not session.depth:
                return
        raise raised from (None if raised is error else error)

    @contextmanager
    def _block(
        self, mode: Mode, first: Callable[[], None] | None = None
    ) -> Iterator[None]:
        session = self._sessions.here.session
        if first is not None:
            outer = session.deferred
            with ExitStack() as stack:
                session.deferred = first, stack
                try:
                    yield
                finally:
                    session.deferred = outer
            return
        if session.deferred is not None and mode == "write":
            with self._begin_deferred(session, *session.deferred):
                yield
            return
        if session.depth:
            if mode == "write" and session.mode == "read":
                raise RuntimeError("no transaction inside a snapshot")
            session.depth += 1
            block, writes = session.block, session.writes
            try:
                yield
            except BaseException as error:
                if session.writes != writes and session.failure is None:
                    session.failure = RuntimeError(f"a part failed with {error!r}")
                raise
            finally:
                # a suspended generator may hold this block when the outer one ends
                if session.block == block:
                    session.depth -= 1
            return
        lock = self.engine.write_lock if mode == "write" else None
        if lock is not None and not lock.acquire(timeout=LOCK_SECONDS):
            raise Unavailable(_REASONS["busy"])
        session.mode, session.writes, session.failure = mode, 0, None
        try:
            self._call(self.engine.begin[mode])
            session.depth = 1
            yield
            calls = session.before_commit
            while calls and session.failure is None:
                calls.pop(next(iter(calls)))()
            if session.failure is not None:
                raise session.failure
            self._call(_COMMIT)
        except BaseException:
            if session.depth:
                self._roll_back(session)
            raise
        finally:
            session.depth, session.mode, session.failure = 0, "read", None
            session.block += 1
            session.before_commit.clear()
            if lock is not None:
                lock.release()
        if session.after_commit:
            _run_after_commit(session)

    @contextmanager
    def _begin_deferred(
        self, session: Session, first: Callable[[], None], stack: ExitStack
    ) -> Iterator[None]:
        """Begin what ``stack`` ends, or this block, if it fails."""
        session.deferred = None
        try:
            with ExitStack() as begun:
                begun.enter_context(self._block("write"))
                first()
                yield
                stack.push(begun.pop_all())
        except BaseException:
            session.deferred = first, stack
            raise

    def _roll_back(self, session: Session) -> None:
        session.after_commit.clear()
        connection = session.connection
        if connection is None:
            return
        try:
            if self.engine.in_transaction(connection):
                with session.lock:
                    connection.execute("ROLLBACK")
        except self.engine.errors as error:
            log.warning("the connection is dropped: %s", first_line(error))
            session.drop()


def _run_after_commit(session: Session) -> None:
    calls, session.after_commit = session.after_commit, []
    for call in calls:
        try:
            call()
        except Exception:
            log.exception("a call after the commit failed")


class Order(Struct, frozen=True):
    """The columns that a list may be sorted by."""

    columns: Mapping[str, str]  # by the name that requests use
    tie: str  # unique, or pages would repeat rows
    default: str

    def of(self, request: PageRequest) -> str:
        """Return the columns for ORDER BY; ValueError for an unknown ``sort``."""
        asked = request.sort if isinstance(request, SortedRequest) else ""
        sort = asked or self.default
        column = self.columns.get(sort.removeprefix("-"))
        if column is None:
            raise ValueError(f"the list is not sorted by {sort!r}")
        way = " DESC" if sort.startswith("-") else ""
        return ", ".join(f"{each}{way}" for each in dict.fromkeys((column, self.tie)))


class Store:
    """Base of the stores: they have nothing but the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _page(
        self,
        request: PageRequest,
        make: Callable[[Row], T],
        select: str,
        source: str,
        params: Sequence[object],
        order: Order,
    ) -> Page[T]:
        """Return a page of ``SELECT select FROM source ORDER BY order``, and its total.

        Two statements.
        """
        ordered = f"SELECT {select} FROM {source} ORDER BY {order.of(request)}"
        counted = self._database.row(f"SELECT count(*) FROM {source}", params)
        rows = self._database.rows(
            f"{ordered} LIMIT ? OFFSET ?", (*params, request.limit, request.offset)
        )
        total = counted[0] if counted else 0
        return Page(list(map(make, rows)), total, request.page, request.limit)


CHUNK = 500  # values in the list of one statement

LAST = "\U0010ffff"
"""The code point that sorts last."""

LIKE_MAX_LENGTH = 16  # characters


class SqlFragment(NamedTuple):
    """A piece of SQL and its parameters, in order."""

    sql: str
    params: tuple[object, ...] = ()


def all_of(fragments: Iterable[SqlFragment]) -> SqlFragment:
    """Return the conjunction of one or more conditions."""
    fragments = list(fragments)
    return SqlFragment(
        " AND ".join(each.sql for each in fragments),
        tuple(param for each in fragments for param in each.params),
    )


def of_given(parts: Mapping[str, object]) -> SqlFragment:
    """Return those of the conditions, by their SQL, whose parameter is not None."""
    given = ((sql, value) for sql, value in parts.items() if value is not None)
    return all_of([SqlFragment(sql, (value,)) for sql, value in given])


def exists(rows: str, conditions: Iterable[SqlFragment] = ()) -> SqlFragment:
    """Return the condition that any of ``rows`` (FROM … WHERE …) meets all others."""
    mine = all_of([SqlFragment(rows), *conditions])
    return SqlFragment(f"EXISTS (SELECT 1 FROM {mine.sql})", mine.params)


def starts_with(column: str, prefix: SqlFragment) -> SqlFragment:
    """Return a condition on a text column that an index range answers."""
    return SqlFragment(
        f"{column} >= {prefix.sql} AND {column} < {prefix.sql} || '{LAST}'",
        prefix.params * 2,
    )


def contains(column: str, text: str) -> SqlFragment:
    """Return the condition that the column contains ``text`` literally.

    LIKE is faster for short texts, and trigram indexes of PostgreSQL support it. For
    long ones it compares the text again at every possible start: a thousand times "a"
    took 80 ms for each text of that length.
    """
    if len(text) > LIKE_MAX_LENGTH:
        start = contains(column, text[:LIKE_MAX_LENGTH])
        return SqlFragment(
            f"({start.sql} AND instr({column}, ?) > 0)", (*start.params, text)
        )
    literal = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return SqlFragment(f"{column} LIKE ? ESCAPE '!'", (f"%{literal}%",))


def one_of(column: str, values: Collection[str]) -> SqlFragment:
    """Return the condition that the column is one of a few values."""
    return SqlFragment(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))


def chunks(items: Iterable[T]) -> list[list[T]]:
    """Return the items in their order, in lists of CHUNK at most."""
    rest = list(items)
    if len(rest) <= CHUNK:
        return [rest] if rest else []
    return [rest[first : first + CHUNK] for first in range(0, len(rest), CHUNK)]


def insert_one(table: str, columns: str, key: str = "") -> str:
    """Return the INSERT of one row; with ``key``, it replaces the row of that key."""
    names = columns.split(", ")
    marks = ", ".join("?" * len(names))
    sql = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
    if not key:
        return sql
    changed = [name for name in names if name not in key.split(", ")]
    changes = ", ".join(f"{name} = excluded.{name}" for name in changed)
    return f"{sql} ON CONFLICT ({key}) DO UPDATE SET {changes}"


def fields(names: str) -> Callable[[object], tuple[Any, ...]]:
    """Return what reads these attributes of a record, as the values of a row."""
    return attrgetter(*names.split(", "))


_encoder = msgspec.json.Encoder()


def json_text(value: object) -> str:
    """Return JSON text. Not jsonb: that sorts properties and refuses U+0000."""
    return _encoder.encode(value).decode()


def json_or_null(value: object | None) -> str | None:
    """Return JSON text, or None (NULL) for None."""
    return None if value is None else json_text(value)
