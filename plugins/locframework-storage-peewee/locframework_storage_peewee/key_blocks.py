"""Knows where in the order of names a key stands, without walking to it.

A line of many keys is parted into blocks, by name: a block has the names from its
``first`` up to the first of the next one, and counts its keys. To find the key at a
place, whole blocks are left out by their counts. A line of few keys has no blocks; it
gets them with the key that makes it too many.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from .database import Database
from .key_columns import PROJECT
from .sql import LAST, SqlFragment

SIZE = 1000
"""Keys of a block when it is made."""
MOST = 2 * SIZE
"""A block with more is parted."""


def near(
    database: Database, line_id: str, offset: int, *, descending: bool
) -> tuple[SqlFragment, int]:
    """Where the key at ``offset`` of a line is: which names to walk, and how many of
    them to walk past."""
    if offset < SIZE:
        return SqlFragment("TRUE"), offset
    blocks = database.rows(
        f"SELECT first, keys FROM key_blocks WHERE project = {PROJECT} ORDER BY first",
        (line_id,),
    )
    end = None
    for first, keys in reversed(blocks) if descending else blocks:
        if offset < keys:
            if not descending:
                return SqlFragment("k.key >= ?", (first,)), offset
            return SqlFragment("k.key < ?", (end,)) if end else SqlFragment(
                "TRUE"
            ), offset
        offset -= keys
        end = first
    return SqlFragment("TRUE"), offset


def move_names(
    database: Database,
    line_id: str,
    *,
    gone: Collection[str] = (),
    come: Collection[str] = (),
) -> None:
    """Keep the blocks of a line with the names of its keys; ask it after the change,
    when the line's count of keys has changed, or is locked."""
    moves = Counter(come)
    moves.subtract(gone)
    names = sorted(name for name, more in moves.items() if more)
    if not names:
        return
    line = _line(database, line_id, names[0], names[-1])
    if not line.blocks:
        if line.keys > MOST:
            _part(database, line.number, "", line.keys)
        return
    firsts = list(line.blocks)
    changes: Counter[str] = Counter()
    for name in names:
        changes[firsts[bisect_right(firsts, name) - 1]] += moves[name]
    database.run_many(
        "UPDATE key_blocks SET keys = keys + ? WHERE project = ? AND first = ?",
        [(more, line.number, first) for first, more in changes.items() if more],
    )
    for first, more in changes.items():
        keys = line.blocks[first] + more
        if keys > MOST:
            _part(database, line.number, first, keys)
        elif not keys and first:
            _drop(database, line.number, first)


class _Line(NamedTuple):
    number: int
    keys: int
    blocks: dict[str, int]
    """The keys of each block that was asked for, by its first name, in order."""


def _line(database: Database, line_id: str, least: str, greatest: str) -> _Line:
    """A line, and its blocks with the names from ``least`` to ``greatest``."""
    rows = database.rows(
        """SELECT l.number, l.key_count, b.first, b.keys
            FROM lines l LEFT JOIN key_blocks b ON b.project = l.number
                AND b.first >= (SELECT max(o.first) FROM key_blocks o
                    WHERE o.project = l.number AND o.first <= ?)
                AND b.first <= ?
            WHERE l.id = ? ORDER BY b.first""",
        (least, greatest, line_id),
    )
    [number, total, *_] = rows[0]
    return _Line(number, total, {row[2]: row[3] for row in rows if row[2] is not None})


def _part(database: Database, number: int, first: str, keys: int) -> None:
    """Make blocks of SIZE of the one, of ``keys`` keys, that begins at ``first``."""
    rows = database.rows(
        """SELECT key FROM (
                SELECT key, row_number() OVER (ORDER BY key) AS place FROM keys
                WHERE project = ? AND deleted_at IS NULL AND key >= ?
                    AND key < coalesce((SELECT min(first) FROM key_blocks
                        WHERE project = ? AND first > ?), ?)
            ) numbered WHERE place % ? = 1 ORDER BY key""",
        (number, first, number, first, LAST, SIZE),
    )
    _drop(database, number, first)
    firsts = [first, *(key for (key,) in rows[1:])]
    rest = keys - SIZE * (len(firsts) - 1)
    counts = [SIZE] * (len(firsts) - 1) + [rest]
    database.insert_many(
        "key_blocks",
        "project, first, keys",
        [(number, *block) for block in zip(firsts, counts, strict=True)],
    )


def _drop(database: Database, number: int, first: str) -> None:
    database.run(
        "DELETE FROM key_blocks WHERE project = ? AND first = ?", (number, first)
    )
