"""Answers a page of keys in two statements, from whichever end is nearer."""

from typing import NamedTuple

from locframework.ports import Key, KeyFilter, Page, PageRequest

from .database import Database
from .key_columns import IN_PROJECT, KEY, PROJECT, key_of
from .key_sets import KeySet, all_keys, listed_keys, only_list
from .parts import Part

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
) -> Page[Key]:
    """See KeyStore.list_keys."""
    with database.snapshot():
        total, of_all = (0, 0) if where.nothing else _count(database, project_id, where)
        keys: list[Key] = []
        if page.offset < total:
            piece = _slice(page, total, descending=sort.startswith("-"))
            field = sort.removeprefix("-")
            by_time = field != "key"
            # to sort what is found, or to meet it in the order of time?
            walked = (piece.offset + piece.limit) * of_all // total
            wide = by_time and walked < total * _SORTING
            keys_set = _set(project_id, where, with_keys=by_time, wide=wide)
            keys = _page(database, project_id, keys_set, field, piece)
    return Page(keys, total, page.page, page.limit)


def _count(database: Database, project_id: str, where: KeyFilter) -> tuple[int, int]:
    """How many keys meet the filter, and how many there are."""
    one_list = only_list(where)
    if where == KeyFilter(language_code=where.language_code):
        count = Part("key_count")
    elif one_list is not None:
        sql = "SELECT keys FROM key_list_lengths WHERE project = number AND list = ?"
        count = Part(f"({sql})", (one_list,))
    else:
        keys = _set(project_id, where, with_keys=False, wide=False)
        sql = f"SELECT count(*) FROM {keys.source.sql} WHERE {keys.where.sql}"
        count = Part(f"({sql})", keys.params)
    row = database.row(
        f"SELECT {count.sql}, key_count FROM lines WHERE id = ?",
        (*count.params, project_id),
    )
    return (row[0] or 0, row[1]) if row else (0, 0)


def _set(project_id: str, where: KeyFilter, *, with_keys: bool, wide: bool) -> KeySet:
    narrow = None if wide else listed_keys(project_id, where, with_keys=with_keys)
    return narrow or all_keys(project_id, where)


def _slice(page: PageRequest, total: int, *, descending: bool) -> _Slice:
    limit = min(page.limit, total - page.offset)
    after = total - page.offset - limit
    if after < page.offset:
        return _Slice(not descending, True, limit, after)
    return _Slice(descending, False, limit, page.offset)


def _page(
    database: Database, project_id: str, keys: KeySet, field: str, piece: _Slice
) -> list[Key]:
    way = "DESC" if piece.descending else "ASC"
    time = _TIMES.get(field)
    if time is None:
        place, order, outer = keys.name, f"{keys.name} {way}", f"k.key {way}"
        mine = f"k.project = {PROJECT} AND k.key = found.place AND k.deleted_at IS NULL"
    else:
        place, mine = "k.id", f"k.{IN_PROJECT} AND k.id = found.place"
        order = outer = f"{time} {way}, k.id {way}"
    rows = database.rows(
        f"""SELECT {KEY} FROM (
                SELECT {place} AS place FROM {keys.source.sql}
                WHERE {keys.where.sql} ORDER BY {order} LIMIT ? OFFSET ?
            ) found CROSS JOIN keys k WHERE {mine}
            ORDER BY {outer}""",
        (*keys.params, piece.limit, piece.offset, project_id),
    )
    if piece.reverse:
        rows.reverse()
    return [key_of(project_id, row) for row in rows]
