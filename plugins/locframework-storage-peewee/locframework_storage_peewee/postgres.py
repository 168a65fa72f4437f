"""PostgreSQL, over psycopg 3."""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import methodcaller
from typing import Any, cast

import peewee
import psycopg
from psycopg import errors

from locframework.ports import SettingsError

from .connections import first_line
from .engine import LOCK_SECONDS, SETTING, Connection, Cursor, Fault, Mode, RunQuery

CHANNEL = "locframework_work"  # notified by triggers, see 0001_initial_postgres.sql
LISTEN_AGAIN_SECONDS = 5
MIGRATION_LOCK = 0x6C6F63_6672616D  # "locfram": one number for every locframework
DEFAULTS = {
    "application_name": "locframework",
    "client_encoding": "utf8",
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "tcp_user_timeout": "15000",  # ms; a host that vanished is noticed
}

OUTSIDE_SNAPSHOTS = f"""SET lock_timeout = {LOCK_SECONDS * 1000};
    SET plan_cache_mode = auto; SET enable_seqscan = off; SET jit = off"""
"""Statements alone or in a transaction find a few rows by key. Their plans are cached,
which saves more than half of the time, and use indexes only: a plan made while a table
was small would read all of it when it has grown."""

_BEGIN: dict[Mode, bytes] = {
    "write": b"BEGIN",
    "read": b"""BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
        SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on""",
}
"""Lists are planned for their parameters. One round trip."""

FEW = 10
"""A statement with a longer list is planned for it: a cached plan was 100 times slower
in a first import. PostgreSQL estimates ten items for a list it does not know."""

_GROWN = b"""SELECT t.name FROM unnest(ARRAY['keys', 'key_values', 'key_tags',
        'branch_keys', 'findings', 'value_revisions']) AS t (name)
    JOIN pg_class c ON c.oid = to_regclass(t.name)
    WHERE pg_relation_size(c.oid)
            > (2 * c.relpages + 8) * current_setting('block_size')::bigint
        OR pg_stat_get_mod_since_analyze(c.oid) > greatest(c.reltuples, 1000)"""
"""Tables twice as large as when they were analyzed, or filled by a transaction
meanwhile. Autovacuum does the same within minutes, where it is on. Until then a list of
keys took seconds instead of milliseconds."""

UNREADABLE = (
    "is not an address such as postgresql://user:password@host:5432/name, with %25 for"
    " a % of the password, %2F for a /, %40 for an @, and after a ? only"
    " PostgreSQL's options"
)
_WRONG_USER = "PostgreSQL does not accept the user name or the password of the address"
_REFUSALS = {
    "password authentication failed": _WRONG_USER,
    "no password supplied": "PostgreSQL requires a password, and the address has none",
    'role "': _WRONG_USER,
    "no pg_hba.conf entry": "PostgreSQL does not accept this user from this host",
    'database "': "the PostgreSQL server has no database of the name in the address",
}
"""By a part of the server's message, which never contains the password."""

# a password may hold a ? of its own
_PARTS = re.compile(r"((?:postgres(?:ql)?://[^@/]*@)?[^?]*)\??(.*)", re.DOTALL)

# connection failures, shutdown of the server, a standby
_LOST = ("08", "57P0", "25006")
_CONFLICT = (errors.UniqueViolation, errors.ForeignKeyViolation)


log = logging.getLogger("locframework.storage")


class PostgresQueries(peewee.PostgresqlDatabase):
    """Builds SQL for peewee; ``run`` runs it."""

    param = "?"

    def __init__(self, run: RunQuery) -> None:
        super().__init__(None, prefer_psycopg3=True)
        self._run = run

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        return self._run(sql, params or ())


class Postgres:
    """The database at ``url``; what the URL sets wins over our defaults."""

    errors: tuple[type[Exception], ...] = (psycopg.Error,)
    path = ""
    for_update = " FOR NO KEY UPDATE"  # children can still be added by others
    skip_locked = " FOR UPDATE SKIP LOCKED"
    has_trigram_tables = False
    write_lock: threading.Lock | None = None  # writers wait for each other's rows
    begin: Mapping[Mode, Callable[[Connection], object]] = {
        mode: methodcaller("execute", sql, prepare=False)  # several statements
        for mode, sql in _BEGIN.items()
    }

    def __init__(self, url: str) -> None:
        address, query = _PARTS.findall(url)[0]
        given = [option for option in query.split("&") if option]
        names = {option.partition("=")[0] for option in given}
        ours = [
            f"{name}={value}" for name, value in DEFAULTS.items() if name not in names
        ]
        address = address.replace("postgres://", "postgresql://", 1)
        self._url = f"{address}?{'&'.join([*given, *ours])}"
        if not _is_readable(self._url):
            raise SettingsError(f"settings: {SETTING}: {UNREADABLE}", SETTING)

    def exists(self) -> bool:
        return True  # by whoever runs the server

    def make_peewee(self) -> peewee.Database:
        return peewee.PostgresqlDatabase(self._url, prefer_psycopg3=True)

    def make_query_database(self, run: RunQuery) -> peewee.Database:
        return PostgresQueries(run)

    def open(self, database: peewee.Database) -> Connection:
        database.connect()
        connection: psycopg.Connection[object] = database.connection()
        if connection.info.parameter_status("server_encoding") != "UTF8":
            raise SettingsError("the PostgreSQL database must have the encoding UTF8")
        connection.execute(OUTSIDE_SNAPSHOTS.encode())
        return cast("Connection", connection)

    def refused(self, error: Exception) -> str | None:
        text = str(error)
        return next(
            (reason for part, reason in _REFUSALS.items() if part in text), None
        )

    @contextmanager
    def migration_lock(self, database: peewee.Database) -> Iterator[None]:
        database.execute_sql("SET lock_timeout = 0")
        # a lock of the session, which ends with the process
        database.execute_sql("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
        try:
            yield
        finally:
            database.execute_sql("SELECT pg_advisory_unlock(%s)", (MIGRATION_LOCK,))

    def watch(self, call: Callable[[], None]) -> Callable[[], None]:
        listener = _Listener(self._url, call)
        listener.start()
        return listener.stop

    def to_driver_sql(self, sql: str) -> str:
        return _to_driver_sql(sql)

    def among(self, column: str) -> str:
        return f"{column} = ANY(?::text[])"

    def listed(self, values: Collection[str]) -> object:
        return list(values)

    def join_each(self, table: str, alias: str, condition: str) -> str:
        # a query with OFFSET is not made one with what is around it
        looked_up = f"SELECT * FROM {table} {alias} WHERE {condition} OFFSET 0"
        return f"CROSS JOIN LATERAL ({looked_up}) {alias}"

    def without_index(self, column: str) -> str:
        return f"{column} || ''"

    def json_rows(self, code: str, text: str, word: str) -> str:
        # json_agg of json_build_array takes half as long again
        row = f"""'["' || {code} || '",' || to_json({text})::text || ',"' || {word}"""
        return f"""'[' || string_agg({row} || '"]', ',') || ']'"""

    def execute(
        self, connection: Connection, sql: str, params: Sequence[object]
    ) -> Cursor:
        prepare = None  # the driver decides
        for each in params:
            if isinstance(each, list) and len(each) > FEW:
                prepare = False
        opened = cast("psycopg.Connection[object]", connection)
        done = opened.execute(_to_driver_sql(sql).encode(), params, prepare=prepare)
        return cast("Cursor", done)

    def fault(self, error: Exception, connection: Connection) -> Fault:
        closed = cast("psycopg.Connection[object]", connection).closed
        if closed or (getattr(error, "sqlstate", None) or "").startswith(_LOST):
            return "lost"
        if isinstance(error, _CONFLICT):
            is_name = (error.diag.constraint_name or "").endswith("_folded")
            return "name" if is_name else "conflict"
        if isinstance(error, psycopg.errors.DiskFull):
            return "full"
        return "busy" if isinstance(error, psycopg.OperationalError) else "wrong"

    def in_transaction(self, connection: Connection) -> bool:
        status = cast("psycopg.Connection[object]", connection).info.transaction_status
        return status != psycopg.pq.TransactionStatus.IDLE

    def stream_cursor(self, connection: Connection) -> Cursor:
        name = f"stream_{uuid.uuid4().hex}"
        cursor = cast("psycopg.Connection[object]", connection).cursor(name)
        return cast("Cursor", cursor)

    def insert_many(
        self, connection: Connection, sql: str, rows: Sequence[Sequence[object]]
    ) -> Cursor:
        cursor = cast("psycopg.Connection[object]", connection).cursor()
        copy_sql = sql.replace("INSERT INTO", "COPY", 1) + " FROM STDIN"
        with cursor, cursor.copy(copy_sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)
        return cast("Cursor", cursor)

    def analyze_grown(self, connection: Connection) -> None:
        opened = cast("psycopg.Connection[tuple[str]]", connection)
        grown = [name for (name,) in opened.execute(_GROWN).fetchall()]
        if grown:  # somebody else who counts one of them now does it for us too
            opened.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(grown)}".encode())


class _Listener(threading.Thread):
    """Waits for notifications on a connection of its own: no statements while idle."""

    def __init__(self, url: str, call: Callable[[], None]) -> None:
        super().__init__(name="locframework-listener", daemon=True)
        self._url = url
        self._call = call
        self._stopping = threading.Event()
        self._connection: psycopg.Connection[object] | None = None

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._url, autocommit=True) as connection:
                    self._connection = connection
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    self._call()  # for what was committed before
                    for _ in connection.notifies():
                        self._call()
            except (psycopg.Error, OSError) as error:
                if not self._stopping.is_set():
                    log.info(
                        "not listening to PostgreSQL for now: %s", first_line(error)
                    )
                    self._stopping.wait(LISTEN_AGAIN_SECONDS)

    def stop(self) -> None:
        """End the thread, which waits for the server, by ending its connection."""
        self._stopping.set()
        if self._connection is not None:
            with suppress(OSError, psycopg.Error):
                descriptor = os.dup(self._connection.fileno())
                with socket.socket(fileno=descriptor) as server:
                    server.shutdown(socket.SHUT_RDWR)
        self.join(timeout=1)


def _is_readable(url: str) -> bool:
    """Return whether libpq can parse the address.

    Its message is not shown: it quotes the password.
    """
    try:
        reason = psycopg.conninfo.conninfo_to_dict(url)
        ports = [int(port) for port in str(reason.get("port", "")).split(",") if port]
    except (psycopg.ProgrammingError, ValueError):
        return False
    hosts = str(reason.get("host", "")).split(",")
    # an @ in front is a socket of Linux; elsewhere it belongs to a password
    return all(0 < port < 65536 for port in ports) and not any(
        "@" in host[1:] for host in hosts
    )


@lru_cache(maxsize=2048)
def _to_driver_sql(sql: str) -> str:
    named = sql.replace("instr(", "strpos(")  # the same under another name
    return named.replace("%", "%%").replace("?", "%s")
