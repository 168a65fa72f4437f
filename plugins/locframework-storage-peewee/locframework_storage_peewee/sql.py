"""SQL fragments with their parameters, for conditions."""

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeVar

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
