"""One connection for each thread, opened by its first statement."""

import logging
import os
import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import ExitStack, suppress

import peewee

from locframework.ports import Unavailable

from .engine import Connection, Engine, Mode

log = logging.getLogger("locframework.storage")

# connections of the parent process: closing them in a fork would end them for it
_inherited: list[object] = []


def connect(engine: Engine, database: peewee.Database) -> Connection:
    """Open this thread's connection of ``database``, or raise Unavailable."""
    try:
        return engine.open(database)
    except connection_errors(engine) as error:
        log.warning("cannot connect to the database: %s", first_line(error))
        reason = engine.refused(error) or "the database does not answer; try again"
        raise Unavailable(reason) from error


def connection_errors(engine: Engine) -> tuple[type[Exception], ...]:
    """Return what ``Engine.open`` raises, of the driver and the file system."""
    return peewee.PeeweeException, OSError, *engine.errors


def first_line(error: Exception) -> str:
    """Return what a log may show of a driver's error: other lines contain values."""
    return str(error).partition("\n")[0]


Deferred = tuple[Callable[[], None], ExitStack]
"""What a transaction calls first, and the block that ends it."""


class Session:
    """The connection of a thread, and its open transaction or snapshot."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # held while the driver runs
        self.connection: Connection | None = None
        self.depth = 0  # of nested blocks
        self.block = 0  # counts outermost blocks
        self.mode: Mode = "read"
        self.writes = 0  # statements of the open transaction
        self.failure: Exception | None = None  # why the transaction cannot commit
        self.deferred: Deferred | None = None  # a transaction that is yet to begin
        self.before_commit: dict[Hashable, Callable[[], None]] = {}
        self.after_commit: list[Callable[[], None]] = []

    def drop(self) -> None:
        """Close the connection; what was not committed is rolled back."""
        with self.lock:
            connection, self.connection = self.connection, None
            if connection is not None:
                with suppress(Exception):
                    connection.close()


class _EndOfThread:
    """Drops the session when its thread, which holds this object, has ended."""

    def __init__(self, session: Session, sessions: set[Session]) -> None:
        self._session = session
        self._sessions = sessions
        self._process = os.getpid()

    def __del__(self) -> None:
        if os.getpid() == self._process:
            self._sessions.discard(self._session)
            self._session.drop()


class _Here(threading.local):
    """The session of each thread, whose connection may not be open yet."""

    def __init__(self, sessions: set[Session], lock: threading.Lock) -> None:
        self.session = Session()
        with lock:
            sessions.add(self.session)
        self._end = _EndOfThread(self.session, sessions)


class Sessions:
    """The sessions of all threads of this process. A forked child starts without."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_closed = False
        self._begin()
        _all_sessions.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._sessions: set[Session] = set()
        self.here = _Here(self._sessions, self._lock)

    def begin_again(self) -> None:
        """Leave the connections to the parent process, in a forked child."""
        _inherited.append((self.here, self._sessions))
        if self._engine.write_lock is not None:  # another thread may have held it
            self._engine.write_lock = threading.Lock()
        self._begin()

    def connect(self, session: Session) -> Connection:
        """Open the connection of this thread's ``session``, or raise Unavailable."""
        if session.depth:  # the transaction was lost with its connection
            raise Unavailable("the database connection was lost; try again")
        self.require_open()
        session.connection = connection = connect(
            self._engine, self._engine.make_peewee()
        )
        if self._is_closed:  # while this one was opened
            session.drop()
            self.require_open()
        return connection

    def require_open(self) -> None:
        """Raise Unavailable after ``close``."""
        if self._is_closed:
            raise Unavailable("the database was closed")

    def drop(self) -> None:
        """Close the connections of all threads; later statements open new ones."""
        with self._lock:
            sessions = list(self._sessions)
        for session in sessions:
            session.drop()

    def close(self) -> None:
        """Close the connections of all threads, and open no others."""
        self._is_closed = True
        self.drop()


_all_sessions: weakref.WeakSet[Sessions] = weakref.WeakSet()


def _begin_in_child() -> None:
    for sessions in _all_sessions:
        sessions.begin_again()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
