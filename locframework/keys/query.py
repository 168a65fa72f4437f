"""Reads what a list of keys is asked by into what the store is asked."""

from collections.abc import Sequence

from locframework.clock import Timestamp, given_moment, timestamp
from locframework.errors import LanguageNotInProject
from locframework.languages import require_tag

from .records import KeyFilter, KeyQuery
from .rules import fold


def filter_of(query: KeyQuery, language_codes: Sequence[str]) -> KeyFilter:
    """The conditions of a query. Raises LanguageNotInProject, ValidationFailed."""
    tag = None
    if query.language_code is not None:
        tag = require_tag(query.language_code, "query.languageCode")
        if tag not in language_codes:
            raise LanguageNotInProject(f"the project has no language {tag}")
    return KeyFilter(
        search=fold(query.search) if query.search else None,
        prefix=query.prefix or None,
        tags=tuple(dict.fromkeys(tag.strip() for tag in query.tag)),
        language_code=tag,
        status=query.status,
        is_outdated=query.is_outdated,
        is_plural=query.is_plural,
        updated_since=_moment(query.updated_since),
        nothing=query.has_issues is True,  # no quality check is provided yet
    )


def _moment(text: str | None) -> Timestamp | None:
    return None if text is None else timestamp(given_moment(text, "query.updatedSince"))
