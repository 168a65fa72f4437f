"""Answers a page of a list of keys: by its number, or where a walk of it goes on."""

from msgspec.structs import replace

from locframework.cursors import Cursor, list_of, read_cursor
from locframework.errors import ValidationFailed
from locframework.paging import CursorPage, PageRequest, Place

from .records import Key, KeyFilter, KeyQuery, public_key
from .store import KeyStore


def start_of(query: KeyQuery, project_id: str) -> Cursor | None:
    """Where the page begins; None: its number tells. Raises ValidationFailed."""
    if query.cursor is None:
        return None
    if query.page != 1:
        message = "must be left out when there is a cursor"
        raise ValidationFailed.at("query.page", "cursor", message)
    return read_cursor(query.cursor, _list(query, project_id))


def page_of(
    store: KeyStore,
    project_id: str,
    where: KeyFilter,
    query: KeyQuery,
    start: Cursor | None,
) -> CursorPage[Key]:
    """The page that begins at ``start``, or that has the number. Two statements."""
    limit, sort = query.limit, query.sort
    if start is None:
        asked = PageRequest(query.page, limit)
        found = store.list_keys(project_id, where, sort, asked)
        has_next = asked.offset + len(found.items) < found.total
        start = Cursor(_list(query, project_id), "", "", query.page)
    else:
        one_more = PageRequest(1, limit + 1)
        found = store.list_keys(project_id, where, sort, one_more, start.place)
        has_next = len(found.items) > limit
    items = found.items[:limit]
    next_ = start.next(place_of(items[-1], sort)) if items and has_next else None
    text = next_.text() if next_ else None
    shown = [public_key(key) for key in items]
    return CursorPage(shown, found.total, start.page, limit, text)


def place_of(key: Key, sort: str) -> Place:
    """Where a key stands in a list in that order."""
    field = sort.removeprefix("-")
    times = {"createdAt": key.created_at, "updatedAt": key.updated_at}
    return Place(times.get(field, key.key), key.id)


def _list(query: KeyQuery, project_id: str) -> str:
    """Which list it is: pages of any size, with values or without, are pages of it."""
    plain = KeyQuery()
    same = replace(
        query, cursor=None, page=plain.page, limit=plain.limit, include=plain.include
    )
    return list_of(project_id, same)
