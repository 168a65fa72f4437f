"""The tables of the index, the statements about them, and connections to them.

A text has a token for each pair of neighboring characters, with how often the pair came
before in the text. One edit removes at most two tokens and adds at most two. A
signature has a bit for each token, by a hash: of two texts that are d edits apart, each
has at most 2d bits that the other has not.
"""

import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from operator import add
from threading import Lock
from typing import Annotated
from uuid import UUID

import psycopg
from msgspec import Meta, Struct
from psycopg import ProgrammingError, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from locframework.ports import SegmentChange, Unavailable

log = logging.getLogger("locframework.matching")

Connection = psycopg.Connection[tuple[object, ...]]

SCHEMA = "locframework_matching_1"  # another number when what is kept changes
BITS = 256  # of a signature
_MASK = (1 << 32) - 1
MAKING_LOCK = 0x6C6F63_6D617463  # "locmatc": one number for every locframework
AT_ONCE = 5_000  # changes

MAKE_SCHEMA = f"CREATE SCHEMA {SCHEMA}"
MAKE_TABLES = f"""
    CREATE TABLE {SCHEMA}.memories (memory uuid PRIMARY KEY, revision bigint NOT NULL);
    CREATE TABLE {SCHEMA}.texts (
        memory uuid NOT NULL,
        entry uuid NOT NULL,
        length integer NOT NULL,
        bits smallint NOT NULL,
        signature bit({BITS}) NOT NULL,
        text bytea NOT NULL,
        PRIMARY KEY (memory, entry)
    );
    CREATE INDEX ON {SCHEMA}.texts (memory, length)"""
"""``text`` is UTF-8, as bytes: a text may have what PostgreSQL's own may not."""

NEAR = f"""
    SELECT uuid_send(entry), text FROM {SCHEMA}.texts
    WHERE memory = %(memory)s AND length BETWEEN %(shortest)s AND %(longest)s
    AND bit_count(signature & %(signature)s::bit({BITS})) >= greatest(bits, %(bits)s)
        - 2 * (%(apart)s * greatest(length, %(length)s) / 100)"""
"""Of the bits of either at most 2d are not the other's."""

COPY = f"""COPY {SCHEMA}.texts (memory, entry, length, bits, signature, text)
    FROM STDIN"""


def make_tables(connection: Connection) -> None:
    """Make what is missing; others may do the same at this moment."""
    if _is_there(connection, "to_regclass", f"{SCHEMA}.texts"):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING_LOCK,))
        if not _is_there(connection, "to_regnamespace", SCHEMA):
            connection.execute(MAKE_SCHEMA.encode())
        if not _is_there(connection, "to_regclass", f"{SCHEMA}.texts"):
            connection.execute(MAKE_TABLES.encode())


def _is_there(connection: Connection, function: str, name: str) -> bool:
    asked = f"SELECT {function}(%s) IS NOT NULL".encode()
    return connection.execute(asked, (name,)).fetchone() == (True,)


def revisions(connection: Connection, memory_ids: Sequence[str]) -> dict[str, int]:
    """Up to where each memory is known; those that are not known are left out."""
    rows = connection.execute(
        f"""SELECT memory::text, revision FROM {SCHEMA}.memories
            WHERE memory = ANY(%s::uuid[])""".encode(),
        (list(memory_ids),),
    )
    return {str(memory): int(str(revision)) for memory, revision in rows}


def lock(connection: Connection, memory_id: str) -> None:
    """Hold the only right to write this memory until the transaction ends."""
    asked = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
    connection.execute(asked, (memory_id,))


def write(
    connection: Connection, memory_id: str, changes: Iterable[SegmentChange], after: int
) -> int:
    """Write what changed after a revision. Only when locked.

    The revision that it reaches: ``after`` when nothing changed.
    """
    reached = after
    for some in _chunks(changes):
        reached = max(reached, *(change.revision for change in some))
        if after:
            connection.execute(
                f"""DELETE FROM {SCHEMA}.texts
                    WHERE memory = %s AND entry = ANY(%s::uuid[])""".encode(),
                (memory_id, [change.entry_id for change in some]),
            )
        with connection.cursor().copy(COPY.encode()) as copy:
            for change in some:
                if change.text:
                    copy.write_row(_row(memory_id, change.entry_id, change.text))
    return reached


def note(connection: Connection, memory_id: str, revision: int) -> None:
    """The memory is known up to this revision."""
    connection.execute(
        f"""INSERT INTO {SCHEMA}.memories VALUES (%s, %s)
            ON CONFLICT (memory) DO UPDATE SET revision = excluded.revision""".encode(),
        (memory_id, revision),
    )


def remove(connection: Connection, memory_id: str) -> None:
    """Nothing of the memory is known."""
    for table in ("texts", "memories"):
        asked = f"DELETE FROM {SCHEMA}.{table} WHERE memory = %s"
        connection.execute(asked.encode(), (memory_id,))


def candidates(
    connection: Connection, memory_id: str, text: str, least_percent: int
) -> tuple[list[bytes], list[str]]:
    """Entries, with their texts: all that are as alike, and some that are not."""
    bits, length = signature(text), len(text)
    with connection.cursor(binary=True) as cursor:
        cursor.execute(
            NEAR.encode(),
            {
                "memory": UUID(memory_id),
                "shortest": -(-length * least_percent // 100),
                "longest": length * 100 // least_percent,
                "signature": f"{bits:0{BITS}b}",
                "bits": bits.bit_count(),
                "apart": 100 - least_percent,
                "length": length,
            },
        )
        rows: list[tuple[bytes, bytes]] = cursor.fetchall()  # type: ignore[assignment]
    texts = [text.decode("utf-8", "surrogatepass") for _, text in rows]
    return [entry for entry, _ in rows], texts


def _row(memory_id: str, entry_id: str, text: str) -> tuple[object, ...]:
    bits = signature(text)
    kept = text.encode("utf-8", "surrogatepass")
    return memory_id, entry_id, len(text), bits.bit_count(), f"{bits:0{BITS}b}", kept


def _chunks(changes: Iterable[SegmentChange]) -> Iterator[list[SegmentChange]]:
    there = iter(changes)
    while some := list(islice(there, AT_ONCE)):
        yield some


def signature(text: str) -> int:
    """Return the bits of the text's tokens. A change of it needs another SCHEMA."""
    bits = 0
    for pair, times in Counter(map(add, text, text[1:])).items():
        bits |= _bits_of(pair, times)
    return bits


@lru_cache(maxsize=1 << 16)
def _bits_of(pair: str, times: int) -> int:
    bits, (left, right) = 0, map(ord, pair)
    for before in range(times):
        mixed = left * 0x9E3779B1 ^ right * 0x85EBCA6B ^ before * 0xC2B2AE35
        bits |= 1 << ((mixed & _MASK) * 0x27D4EB2F >> 16) % BITS
    return bits


UNREADABLE = (
    "is not an address such as postgresql://user:password@host:5432/name, with %25 for"
    " a % of the password, %2F for a /, and after a ? only PostgreSQL's options"
)


class MatchingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the index is. Raises ValueError for an address of another kind.

    What an address leaves out is libpq's: ``PGHOST`` and its like, the local socket.
    """

    database: str = "postgresql://"
    patience_seconds: Annotated[int, Meta(ge=1, le=600)] = 10  # for another's building

    def __post_init__(self) -> None:
        if not self.database.startswith(("postgresql://", "postgres://")):
            raise ValueError("database: must be postgresql://user@host/name")
        try:
            conninfo_to_dict(self.database.replace(" ", "%20"))
        except ProgrammingError:  # what it says quotes the password
            raise ValueError(f"database: {UNREADABLE}") from None


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
