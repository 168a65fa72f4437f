"""One database, a connection for each thread, and transactions over it.

Stores say SQL that both databases read, with ``?`` for each parameter::

    row = database.row("SELECT name FROM projects WHERE id = ?", (project_id,))

A connection is opened with a thread's first statement and kept until the thread ends.
``rows`` and ``row`` are for reading: outside a transaction they are asked once more
when the connection turns out to be lost, so a statement that writes and answers
(RETURNING) stands inside ``transaction()``. ``run`` and ``run_many`` write, in a
transaction of their own when none is open.

What stands in a statement: text never, always a parameter (a ``?`` in a literal would
count as one; ``%`` needs no care). Booleans are columns declared BOOLEAN and answer
``bool``; an expression does not, on SQLite. Lists are one parameter::

    database.rows(f"SELECT id FROM projects WHERE {database.among('id')}",
                  (database.listed(ids),))

A driver's error never leaves: what passes by itself becomes Unavailable. After an
error inside a transaction nothing of that transaction can be kept.
``on_statement``, for tests, is called with the SQL of every statement of a store;
many rows at once are one, BEGIN and COMMIT are none.
"""

import logging
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from locframework.ports import Unavailable

from .engine import NOT_WRITABLE, Connection, Engine, FetchedRows, Mode, Row
from .sessions import Session, Sessions, first_line

T = TypeVar("T")
STREAM_ROWS = 1000
GROWTH = 1000  # rows added before it is asked whether the planner has to count anew

log = logging.getLogger("locframework.storage")


class Database:
    """Connections, statements and transactions; threads may share it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.peewee = engine.make_query_database(self.fetch)
        self.on_statement: list[Callable[[str], None]] | None = None
        self._sessions = Sessions(engine)
        self._added = 0  # in all threads, about

    # statements

    def rows(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        """All rows that a reading statement answers."""
        return self._ask(self._all, sql, params)

    def row(self, sql: str, params: Sequence[object] = ()) -> Row | None:
        """The first row, or None."""
        return self._ask(self._first, sql, params)

    def fetch(self, sql: str, params: Sequence[object] = ()) -> FetchedRows:
        """Return the rows of a SELECT with the names of its columns, for peewee."""
        return self._ask(self._fetched, sql, params)

    def run(self, sql: str, params: Sequence[object] = ()) -> int:
        """Write; how many rows it was."""
        with self.transaction():
            self._sessions.here().writes += 1
            return self._ask(self._count, sql, params)

    def run_rows(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        """Write; all rows that the statement answers (RETURNING)."""
        with self.transaction():
            self._sessions.here().writes += 1
            return self._ask(self._all, sql, params)

    def run_many(self, sql: str, rows: Collection[Sequence[object]]) -> int:
        """Write the statement once a row, in one go; how many rows it was."""
        if not rows:
            return 0
        if len(rows) == 1:  # psycopg takes half as long again for many, be they one
            return self.run(sql, *rows)
        with self.transaction():
            session = self._sessions.here()
            session.writes += 1
            self._tell(sql)
            with self._judged(session) as connection:
                cursor = connection.cursor()
                cursor.executemany(self.engine.to_driver_sql(sql), rows)
                return cursor.rowcount

    def insert_many(
        self, table: str, columns: str, rows: Collection[Sequence[object]]
    ) -> None:
        """Add rows of which none is there yet, the fastest way that there is."""
        if not rows:
            return
        with self.transaction():
            session = self._sessions.here()
            session.writes += 1
            self._tell(f"INSERT INTO {table} ({columns})")
            with self._judged(session) as connection:
                self.engine.insert_many(connection, table, columns, rows)
            self._note_growth(len(rows))

    def stream(self, sql: str, params: Sequence[object] = ()) -> Iterator[Row]:
        """Rows one by one, memory flat; in a snapshot when nothing is open."""
        if not self._sessions.here().depth:
            with self.snapshot():
                yield from self.stream(sql, params)
            return
        self._tell(sql)
        session = self._sessions.here()
        with self._judged(session) as connection:
            cursor = self.engine.stream_cursor(connection)
            cursor.execute(self.engine.to_driver_sql(sql), params)
        try:
            while True:
                with self._judged(session):
                    some = cursor.fetchmany(STREAM_ROWS)
                if not some:
                    return
                yield from some
        finally:
            if session.connection is not None:
                with self._judged(session):
                    cursor.close()

    def among(self, column: str) -> str:
        """The condition that ``column`` is one of ``listed(values)``: one ``?``."""
        return self.engine.among(column)

    def listed(self, values: Collection[str]) -> object:
        """The one parameter of ``among``."""
        return self.engine.listed(values)

    # transactions

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing (locframework/storage.py, Transactions)."""
        return self._block("write")

    def snapshot(self) -> AbstractContextManager[None]:
        """One moment (locframework/storage.py, Transactions)."""
        return self._block("read")

    def before_commit(
        self, name: Hashable, begin: Callable[[], Callable[[], None]]
    ) -> None:
        """At the end of the outermost block (locframework/storage.py, Transactions)."""
        self.require_transaction()
        before = self._sessions.here().before
        if name not in before:
            before[name] = begin()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Once the outermost block is kept (locframework/storage.py, Transactions)."""
        session = self._sessions.here()
        session.calls.append(call)
        if not session.depth:
            _run_calls(session)

    def lock_row(self, table: str, id_: str) -> None:
        """Until the transaction ends, let nobody else lock this row."""
        self.require_transaction()
        if self.engine.for_update:  # else the transaction has locked everything
            self.rows(
                f"SELECT id FROM {table} WHERE id = ?{self.engine.for_update}", (id_,)
            )

    def require_transaction(self) -> None:
        """Raise RuntimeError unless a transaction is open."""
        session = self._sessions.here()
        if not session.depth or session.mode != "write":
            raise RuntimeError("this needs an open transaction")

    @property
    def is_in_block(self) -> bool:
        """Whether this thread has a transaction or snapshot open."""
        return self._sessions.here().depth > 0

    def require_open(self) -> None:
        """Raise Unavailable once it was closed."""
        self._sessions.require_open()

    def drop_connections(self) -> None:
        """Close the connections of all threads; a later statement opens anew."""
        self._sessions.drop()

    def close(self) -> None:
        """Close the connections of all threads; a later statement is Unavailable."""
        self._sessions.close()

    # below: how

    def _note_growth(self, rows: int) -> None:
        self._added += rows
        if self._added >= GROWTH:
            self._added = 0
            self.after_commit(self._count_grown)

    def _count_grown(self) -> None:
        with self._judged(self._sessions.here()) as connection:
            self.engine.count_grown(connection)

    def _ask(self, answer: Callable[..., T], sql: str, params: Sequence[object]) -> T:
        if self.on_statement is not None:
            self._tell(sql)
        return self._try(self._sessions.here(), answer, sql, params)

    def _try(
        self, session: Session, ask: Callable[..., T], *given: object, tries: int = 2
    ) -> T:
        """What ``ask`` answers to the session's connection and what is ``given``."""
        connection = session.connection or self._sessions.connect(session)
        try:
            with session.lock:
                return ask(connection, *given)
        except self.engine.errors as error:
            found = self._judge(session, connection, error)
            if session.connection is None and not session.depth and tries > 1:
                return self._try(session, ask, *given, tries=1)
            if found is error:
                raise
            raise found from error

    def _all(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> list[Row]:
        return self.engine.execute(connection, sql, params).fetchall()

    def _first(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> Row | None:
        return self.engine.execute(connection, sql, params).fetchone()

    def _fetched(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> FetchedRows:
        return FetchedRows(self.engine.execute(connection, sql, params))

    def _count(self, connection: Connection, sql: str, params: Sequence[object]) -> int:
        return self.engine.execute(connection, sql, params).rowcount

    def _tell(self, sql: str) -> None:
        if self.on_statement is not None:
            for call in self.on_statement:
                call(sql)

    @contextmanager
    def _judged(self, session: Session) -> Iterator[Connection]:
        connection = session.connection or self._sessions.connect(session)
        try:
            with session.lock:
                yield connection
        except self.engine.errors as error:
            found = self._judge(session, connection, error)
            if found is error:
                raise
            raise found from error

    def _judge(
        self, session: Session, connection: Connection, error: Exception
    ) -> Exception:
        """What to raise in place of a driver's error."""
        fault = self.engine.fault(error, connection)
        found: Exception = error
        if fault != "wrong":
            level = logging.ERROR if fault in ("full", "readonly") else logging.WARNING
            log.log(level, "database %s: %s", fault, first_line(error))
            found = _unavailable(fault)
        if session.depth and session.doom is None:
            session.doom = found
        if fault == "lost":
            session.drop()
        return found

    @contextmanager
    def _block(self, mode: Mode) -> Iterator[None]:
        session = self._sessions.here()
        if not session.depth:
            self._begin(session, mode)
        elif mode == "write" and session.mode == "read":
            raise RuntimeError("no transaction inside a snapshot")
        session.depth += 1
        writes = session.writes
        try:
            yield
            if session.depth == 1:
                _run_before(session)
                self._commit(session)
        except BaseException as error:
            if session.depth == 1:
                self._roll_back(session)
            elif session.writes != writes and session.doom is None:
                session.doom = RuntimeError(f"a part failed with {error!r}")
            raise
        finally:
            session.depth -= 1
            if not session.depth:
                self._end(session)
        if not session.depth:
            _run_calls(session)

    def _begin(self, session: Session, mode: Mode) -> None:
        if mode == "write" and not self.engine.acquire_write_lock():
            raise _unavailable("busy")
        session.mode, session.writes, session.doom = mode, 0, None
        try:
            self._try(session, self.engine.begin, mode)
        except BaseException:
            self._end(session)
            raise

    def _commit(self, session: Session) -> None:
        if session.doom is not None:
            raise session.doom
        self._try(session, self._count, "COMMIT", ())

    def _roll_back(self, session: Session) -> None:
        session.calls.clear()
        connection = session.connection
        if connection is None:
            return
        try:
            if self.engine.in_transaction(connection):
                with session.lock:
                    connection.execute("ROLLBACK")
        except self.engine.errors as error:
            log.warning("the connection is given up: %s", first_line(error))
            session.drop()

    def _end(self, session: Session) -> None:
        if session.mode == "write":
            self.engine.release_write_lock()
        session.mode, session.doom = "read", None
        session.before.clear()


def _unavailable(fault: str) -> Unavailable:
    if fault == "clash":
        return Unavailable("somebody else has just changed the same; try again")
    if fault == "full":
        return Unavailable("the database has no room left on its disk")
    if fault == "readonly":
        return Unavailable(NOT_WRITABLE)
    if fault == "busy":
        return Unavailable("the database is busy; try again")
    return Unavailable("the database does not answer; try again")


def _run_before(session: Session) -> None:
    while session.before and session.doom is None:
        session.before.pop(next(iter(session.before)))()


def _run_calls(session: Session) -> None:
    calls, session.calls = session.calls, []
    for call in calls:
        try:
            call()
        except Exception:
            log.exception("a call after the commit failed")
