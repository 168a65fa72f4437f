"""Pieces of SQL: conditions with their parameters, INSERT statements, JSON."""

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

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
