"""Converts the query of a list of keys to what the store is asked."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from locframework.errors import LanguageNotInProject, ValidationFailed
from locframework.fields import parse_given_time, timestamp
from locframework.languages import fold, require_tag
from locframework.pagination import Cursor, Position, decode_cursor, list_fingerprint

from .records import KeyFilter, KeyQuery, StoredKey


def filter_of(
    query: KeyQuery,
    language_codes: Sequence[str],
    checks: Collection[str],
    place: str = "query",
) -> KeyFilter:
    """Return the conditions of a query. Raise LanguageNotInProject, ValidationFailed.

    ``checks``: those whose findings the project shows. ``place``: where a request has
    the conditions.
    """
    tag = tag_of(query.language_code, language_codes, place)
    has_issues = query.has_issues if checks else None
    since = query.updated_since
    if since is not None:
        since = timestamp(parse_given_time(since, f"{place}.updatedSince"))
    return KeyFilter(
        search=fold(query.search) if query.search else None,
        prefix=query.prefix or None,
        tags=tuple(dict.fromkeys(tag.strip() for tag in query.tag)),
        language_code=tag,
        status=query.status,
        is_outdated=query.is_outdated,
        is_plural=query.is_plural,
        updated_since=since,
        has_issues=has_issues,
        checks=() if has_issues is None else tuple(checks),
        nothing=query.has_issues is True and not checks,
    )


def tag_of(
    code: str | None, language_codes: Sequence[str], place: str = "query"
) -> str | None:
    """Return the canonical tag of a language code; raise as ``filter_of`` does."""
    if code is None:
        return None
    tag = require_tag(code, f"{place}.languageCode")
    if tag not in language_codes:
        raise LanguageNotInProject(f"the project has no language {tag}")
    return tag


def fingerprint_of(query: KeyQuery, project_id: str) -> str:
    """Return the fingerprint of a list: the same for pages of any size and content."""
    default = KeyQuery()
    same = replace(
        query,
        cursor=None,
        page=default.page,
        limit=default.limit,
        include=default.include,
    )
    return list_fingerprint(project_id, same)


def cursor_of(query: KeyQuery, fingerprint: str) -> Cursor | None:
    """Return the cursor that is asked for, or None. Raise ValidationFailed."""
    if query.cursor is None:
        return None
    if query.page != 1:
        message = "must be left out when there is a cursor"
        raise ValidationFailed.at("query.page", "cursor", message)
    return decode_cursor(query.cursor, fingerprint)


def position_of(key: StoredKey, sort: str) -> Position:
    """Return the position of a key in a list in that order."""
    times = {"createdAt": key.created_at, "updatedAt": key.updated_at}
    return Position(times.get(sort.removeprefix("-"), key.key), key.id)
