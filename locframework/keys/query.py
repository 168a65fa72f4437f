"""Reads what a list of keys is asked by into what the store is asked."""

from collections.abc import Collection, Sequence

from locframework.clock import Timestamp, given_moment, timestamp
from locframework.cursors import Cursor, read_cursor
from locframework.errors import LanguageNotInProject, ValidationFailed
from locframework.folding import fold
from locframework.languages import require_tag
from locframework.paging import CursorPage, PageRequest, Place

from .records import Key, KeyFilter, KeyQuery
from .store import KeyStore


def filter_of(
    query: KeyQuery, language_codes: Sequence[str], checks: Collection[str]
) -> KeyFilter:
    """The conditions of a query. Raises LanguageNotInProject, ValidationFailed.

    ``checks``: whose findings are shown in the project.
    """
    tag = tag_of(query.language_code, language_codes)
    has_issues = query.has_issues if checks else None
    return KeyFilter(
        search=fold(query.search) if query.search else None,
        prefix=query.prefix or None,
        tags=tuple(dict.fromkeys(tag.strip() for tag in query.tag)),
        language_code=tag,
        status=query.status,
        is_outdated=query.is_outdated,
        is_plural=query.is_plural,
        updated_since=_moment(query.updated_since),
        has_issues=has_issues,
        checks=() if has_issues is None else tuple(checks),
        nothing=query.has_issues is True and not checks,
    )


def page_of(
    store: KeyStore, project_id: str, where: KeyFilter, query: KeyQuery
) -> CursorPage[Key]:
    """The page that is asked for, by its number or by a cursor. Two statements.

    Raises ValidationFailed.
    """
    number, limit, sort = query.page, query.limit, query.sort
    if query.cursor is None:
        page = store.list_keys(project_id, where, sort, PageRequest(number, limit))
        items, more = page.items, query.offset + len(page.items) < page.total
    else:
        if number != 1:
            message = "does not go with cursor, which is a page"
            raise ValidationFailed.at("query.page", "cursor", message)
        cursor = read_cursor(query.cursor, sort)
        one_more = PageRequest(1, limit + 1)
        page = store.list_keys(project_id, where, sort, one_more, cursor.place)
        number, items, more = cursor.page, page.items[:limit], len(page.items) > limit
    text = None
    if items and more:
        place = place_of(items[-1], sort)
        text = Cursor(sort, place.value, place.id, number + 1).text()
    return CursorPage(items, page.total, number, limit, text)


def place_of(key: Key, sort: str) -> Place:
    """Where a key stands in a list in that order."""
    field = sort.removeprefix("-")
    times = {"createdAt": key.created_at, "updatedAt": key.updated_at}
    return Place(times.get(field, key.key), key.id)


def tag_of(code: str | None, language_codes: Sequence[str]) -> str | None:
    """The language that is asked for. As filter_of raises."""
    if code is None:
        return None
    tag = require_tag(code, "query.languageCode")
    if tag not in language_codes:
        raise LanguageNotInProject(f"the project has no language {tag}")
    return tag


def _moment(text: str | None) -> Timestamp | None:
    return None if text is None else timestamp(given_moment(text, "query.updatedSince"))
