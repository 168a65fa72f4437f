"""What each thread has open: one connection, kept until the thread ends."""

import logging
import os
import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress

import peewee

from locframework.ports import Unavailable

from .engine import Connection, Engine, Mode

log = logging.getLogger("locframework.storage")


def connect(engine: Engine, database: peewee.Database) -> Connection:
    """Open this thread's connection of ``database``, or Unavailable."""
    try:
        return engine.open(database)
    except faults_of(engine) as error:
        log.warning("cannot connect to the database: %s", first_line(error))
        told = engine.refused(error) or "the database does not answer; try again"
        raise Unavailable(told) from error


def faults_of(engine: Engine) -> tuple[type[Exception], ...]:
    """What ``open`` may raise, of the driver and of the file system."""
    return peewee.PeeweeException, OSError, *engine.errors


def first_line(error: Exception) -> str:
    """What a log may hold of a driver's error: values stand in the other lines."""
    return str(error).partition("\n")[0]


class Session:
    """What one thread has open."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # held while the driver works
        self.connection: Connection | None = None
        self.depth = 0  # of blocks inside each other
        self.mode: Mode = "read"
        self.writes = 0  # statements of the open transaction
        self.doom: Exception | None = None  # why the open transaction cannot commit
        self.before: dict[Hashable, Callable[[], None]] = {}  # the commit
        self.calls: list[Callable[[], None]] = []  # after it

    def drop(self) -> None:
        """Close the connection; what was not committed is gone."""
        with self.lock:
            connection, self.connection = self.connection, None
            if connection is not None:
                with suppress(Exception):
                    connection.close()


class _Lifeline:
    """Ends with its thread, and then gives up what the thread had open."""

    def __init__(self, session: Session, sessions: set[Session]) -> None:
        self._session = session
        self._sessions = sessions
        self._process = os.getpid()

    def __del__(self) -> None:
        if os.getpid() == self._process:
            self._sessions.discard(self._session)
            self._session.drop()


class Sessions:
    """The sessions of all threads of this process.

    A forked child starts with none: its parent's connections stay its parent's.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_closed = False
        self._begin()
        _all_sessions.add(self)

    def here(self) -> Session:
        """The session of this thread; its connection may not be open yet."""
        try:
            session: Session = self._local.session
        except AttributeError:
            session = self._local.session = Session()
            with self._lock:
                self._known.add(session)
            self._local.lifeline = _Lifeline(session, self._known)
        return session

    def connect(self, session: Session) -> Connection:
        """Open the connection of this thread's ``session`` anew, or Unavailable."""
        if session.depth:  # the transaction went with its connection
            raise Unavailable("the database connection was lost; try again")
        self.require_open()
        session.connection = connection = connect(
            self._engine, self._engine.make_peewee()
        )
        if self._is_closed:  # meanwhile, and this one may not have been seen
            session.drop()
            self.require_open()
        return connection

    def require_open(self) -> None:
        """Raise Unavailable once they were closed."""
        if self._is_closed:
            raise Unavailable("the database was closed")

    def drop(self) -> None:
        """Close the connections of all threads; a later statement opens anew."""
        with self._lock:
            known = list(self._known)
        for session in known:
            session.drop()

    def close(self) -> None:
        """Close the connections of all threads, and open none any more."""
        self._is_closed = True
        self.drop()

    def _begin(self) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._known: set[Session] = set()

    def before_fork(self) -> None:
        session = self.here()
        if not session.depth:
            session.drop()

    def after_fork(self) -> None:
        # closing them in the child would end the parent's: keep them, unused
        _of_parents.append(self._known)
        self._engine.forget_threads()
        self._begin()


_all_sessions: weakref.WeakSet[Sessions] = weakref.WeakSet()
_of_parents: list[set[Session]] = []


def _before_fork() -> None:
    for sessions in list(_all_sessions):
        sessions.before_fork()


def _after_fork() -> None:
    for sessions in list(_all_sessions):
        sessions.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
