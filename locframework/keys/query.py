"""Reads what a list of keys is asked by into what the store is asked."""

from collections.abc import Collection, Sequence

from locframework.errors import LanguageNotInProject
from locframework.fields import Timestamp, parse_given_time, timestamp
from locframework.languages import fold, require_tag

from .records import KeyFilter, KeyQuery


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


def tag_of(code: str | None, language_codes: Sequence[str]) -> str | None:
    """The language that is asked for. As filter_of raises."""
    if code is None:
        return None
    tag = require_tag(code, "query.languageCode")
    if tag not in language_codes:
        raise LanguageNotInProject(f"the project has no language {tag}")
    return tag


def _moment(text: str | None) -> Timestamp | None:
    return (
        None
        if text is None
        else timestamp(parse_given_time(text, "query.updatedSince"))
    )
