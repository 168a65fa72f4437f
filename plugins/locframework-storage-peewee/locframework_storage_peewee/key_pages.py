"""Answers a page of keys in two statements, from whichever end is nearer; in three
where there are lists to choose from."""

from collections.abc import Sequence
from typing import NamedTuple

from locframework.ports import KeyFilter, Page, PageRequest, Place, StoredKey

from .database import Database
from .engine import Row
from .key_blocks import near
from .key_columns import KEY, key_of
from .key_lengths import lengths_matter, lengths_of
from .key_sets import KeySet, Source, all_keys, counted, every_key, listed_keys
from .sql import SqlFragment, all_of

_TIMES = {"createdAt": "k.created_at", "updatedAt": "k.updated_at"}
_SORTING = 2  # what sorting a key costs, measured in keys walked past


class _Slice(NamedTuple):
    """Which rows of a walk make the page, and which way to walk."""

    descending: bool
    reverse: bool  # the page is the other way round
    limit: int
    offset: int


def list_keys(
    database: Database,
    project_id: str,
    where: KeyFilter,
    sort: str,
    page: PageRequest,
    after: Place | None = None,
    sources: Sequence[Source] | None = None,
) -> Page[StoredKey]:
    """See KeyStore.list_keys; ``sources`` other than main alone are a branch's."""
    sources = sources or [Source(project_id)]
    with database.snapshot():
        if lengths_matter(where) and not where.nothing:
            known = lengths_of(database, [one.line_id for one in sources], where)
            sources = [one._replace(lengths=known[one.line_id]) for one in sources]
        total, of_all = (0, 0) if where.nothing else _count(database, sources, where)
        keys: list[StoredKey] = []
        if page.offset < total:
            descending = sort.startswith("-")
            field = sort.removeprefix("-")
            if after is None:
                piece = _slice(page, total, descending=descending)
            else:
                piece = _Slice(descending, False, page.limit, page.offset)
            by_time = field != "key"
            # to sort what is found, or to meet it in the order that is asked for?
            walked = (piece.offset + piece.limit) * of_all // total
            sorts = walked >= total * _SORTING
            wide = by_time and not sorts
            sets = [_set(one, where, with_keys=by_time, wide=wide) for one in sources]
            if after is not None:
                sets = [
                    _behind(after, keys, source, field, descending=descending)
                    for keys, source in zip(sets, sources, strict=True)
                ]
            elif field == "key" and every_key(where) and len(sources) == 1:
                sets, piece = _nearer(database, sets[0], project_id, piece)
            if sorts and where.updated_since is not None:
                walk = database.engine.without_index  # PostgreSQL would walk all names
                sets = [each._replace(name=walk(each.name)) for each in sets]
            rows = _page(database, sets, field, piece)
            keys = [key_of(project_id, row) for row in rows]
    return Page(keys, total, page.page, page.limit)


def _count(
    database: Database, sources: Sequence[Source], where: KeyFilter
) -> tuple[int, int]:
    """How many keys meet the filter, and how many there are."""
    parts = [part for source in sources for part in counted(source, where)]
    found = " + ".join(f"coalesce({part.sql}, 0)" for part in parts)
    row = database.row(
        f"SELECT {found}, (SELECT sum(key_count) FROM lines"
        f" WHERE id IN ({', '.join('?' * len(sources))}))",
        (
            *(param for part in parts for param in part.params),
            *(source.line_id for source in sources),
        ),
    )
    return (row[0], row[1] or 0) if row else (0, 0)


def _set(source: Source, where: KeyFilter, *, with_keys: bool, wide: bool) -> KeySet:
    narrow = None if wide else listed_keys(source, where, with_keys=with_keys)
    return narrow or all_keys(source, where)


def _slice(page: PageRequest, total: int, *, descending: bool) -> _Slice:
    limit = min(page.limit, total - page.offset)
    after = total - page.offset - limit
    if after < page.offset:
        return _Slice(not descending, True, limit, after)
    return _Slice(descending, False, limit, page.offset)


def _behind(
    after: Place, keys: KeySet, source: Source, field: str, *, descending: bool
) -> KeySet:
    """Those of the keys that come behind a place in the order of the field."""
    way = "<" if descending else ">"
    if field == "key":
        behind = SqlFragment(f"{keys.name} {way} ?", (after.value,))
    else:
        place = (after.value, after.id + source.mark)
        behind = SqlFragment(f"({_TIMES[field]}, k.id) {way} (?, ?)", place)
    return keys._replace(where=all_of([keys.where, behind]))


def _nearer(
    database: Database, all_keys: KeySet, line_id: str, piece: _Slice
) -> tuple[list[KeySet], _Slice]:
    """The same page of all keys of a line, found from nearby."""
    names, offset = near(database, line_id, piece.offset, descending=piece.descending)
    near_by = all_keys._replace(where=all_of([all_keys.where, names]))
    return [near_by], piece._replace(offset=offset)


def _page(
    database: Database, sets: Sequence[KeySet], field: str, piece: _Slice
) -> list[Row]:
    way = "DESC" if piece.descending else "ASC"
    time = _TIMES.get(field)
    if time is None:
        places = [
            SqlFragment(f"{keys.name} AS place, {keys.table}.project AS line")
            for keys in sets
        ]
        order, outer = f"place {way}", f"k.key {way}"
        mine = "k.project = found.line AND k.key = found.place AND k.deleted_at IS NULL"
    else:
        places = [SqlFragment(f"{time} AS time, k.id AS place") for _ in sets]
        order, outer = f"time {way}, place {way}", f"{time} {way}, k.id {way}"
        mine = "k.id = found.place"
    walks = [
        SqlFragment(
            f"SELECT {place.sql} FROM {keys.source.sql} WHERE {keys.where.sql}",
            keys.params,
        )
        for place, keys in zip(places, sets, strict=True)
    ]
    if len(walks) > 1 and not database.engine.merges_walks:
        end = piece.offset + piece.limit
        walks = [_first(walk, order, end) for walk in walks]
    rows = database.rows(
        f"""SELECT {KEY} FROM (
                {" UNION ALL ".join(walk.sql for walk in walks)}
                ORDER BY {order} LIMIT ? OFFSET ?
            ) found CROSS JOIN keys k WHERE {mine}
            ORDER BY {outer}""",
        (*(p for walk in walks for p in walk.params), piece.limit, piece.offset),
    )
    if piece.reverse:
        rows.reverse()
    return rows


def _first(walk: SqlFragment, order: str, number: int) -> SqlFragment:
    """So many rows of the walk, from its beginning."""
    sql = f"SELECT * FROM ({walk.sql} ORDER BY {order} LIMIT ?) walk"
    return SqlFragment(sql, (*walk.params, number))
