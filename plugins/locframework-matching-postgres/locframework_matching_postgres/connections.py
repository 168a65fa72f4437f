"""Connections to the database of the index, and what their failures mean."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from locframework.ports import Unavailable

from .tables import SCHEMA, Connection, make_tables

log = logging.getLogger("locframework.matching")


LEAST_VERSION = 140_000  # bit_count
DEFAULTS = {
    "application_name": "locframework matching",
    "connect_timeout": "5",
    "tcp_user_timeout": "15000",  # ms; a host that vanished is noticed
}
REFUSED = f"""the user of the matcher's database may not make the schema {SCHEMA}: \
let its owner CREATE SCHEMA {SCHEMA} AUTHORIZATION that user"""


class Stale(Exception):
    """The connection was lost, or the tables were: with another one it may work."""


class Connections:
    """One for each thread that asks at the moment; kept for the next."""

    def __init__(self, url: str, patience_seconds: int) -> None:
        given = conninfo_to_dict(url.replace(" ", "%20"))
        self._conninfo = make_conninfo("", **{**DEFAULTS, **given})
        self._patience = patience_seconds
        self._idle: list[Connection] = []
        self._process = os.getpid()
        self._is_closed = False
        self._lock = Lock()

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """One with the tables in it. Raises Unavailable, and Stale: then ask again."""
        connection = self._take()
        try:
            with connection.transaction():
                yield connection
        except (errors.LockNotAvailable, errors.QueryCanceled) as error:
            reason = "a translation memory is being indexed; ask again in a few seconds"
            raise Unavailable(reason) from error
        except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
            connection.close()  # all are to look for the tables again
            raise Stale from error
        except psycopg.Error as error:
            if connection.closed:
                raise Stale from error
            raise _unavailable(error) from error
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Keep none any more: what is lent is closed when it comes back."""
        with self._lock:
            self._is_closed = True
            if self._process == os.getpid():
                self._close_idle()

    def _take(self) -> Connection:
        with self._lock:
            if self._process != os.getpid():  # forked: they are the parent's
                self._idle, self._process = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        try:
            return self._open()
        except psycopg.Error as error:
            raise _unavailable(error) from error

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if connection.closed:
                self._close_idle()
            elif self._is_closed:
                connection.close()
            else:
                self._idle.append(connection)

    def _close_idle(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle = []

    def _open(self) -> Connection:
        connection = psycopg.connect(self._conninfo, autocommit=True)
        if connection.info.server_version < LEAST_VERSION:
            connection.close()
            raise Unavailable("the matcher postgres needs PostgreSQL 14 or newer")
        try:
            connection.execute(f"SET lock_timeout = {self._patience * 1000}".encode())
            connection.execute("SET jit = off")
            make_tables(connection)
        except psycopg.Error:
            connection.close()
            raise
        return connection


def _unavailable(error: psycopg.Error) -> Unavailable:
    # not what the server says: it would show an address (decisions 2.10)
    log.error("the matcher's database: %s", " ".join(str(error).split()))
    if isinstance(error, errors.InsufficientPrivilege):
        return Unavailable(REFUSED)
    return Unavailable("the database of the matcher cannot be used")
