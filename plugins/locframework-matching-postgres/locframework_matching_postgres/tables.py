"""The tables of the index, and the statements about them.

A text has a token for each pair of neighboring characters, with how often the pair came
before in the text. One edit removes at most two tokens and adds at most two. A
signature has a bit for each token, by a hash: of two texts that are d edits apart, each
has at most 2d bits that the other has not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import add
from uuid import UUID

import psycopg

from locframework.ports import SegmentChange

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
