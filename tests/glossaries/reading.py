"""What is read of a file of terms."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest

from locframework.errors import UnreadableFile
from locframework.file_import.imports import ImportParams
from locframework.glossaries.imports import checked_terms, terms_of
from locframework.glossaries.records import FileTerm, Glossary, ImportResult
from locframework.proposals.records import TermTranslation, TranslationStatus

AT = "2026-11-21T00:00:00.000Z"
GLOSSARY = Glossary("g", "g", "Ferry & co", "en", False, (), 0, AT, AT)


class Read(NamedTuple):
    """The terms that are imported, and the warnings."""

    terms: list[FileTerm]
    warnings: list[str]


def read(content: bytes, format_: str = "csv") -> Read:
    params, result = ImportParams(format_, "en"), ImportResult()
    terms = list(checked_terms(params, io.BytesIO(content), result, set()))
    again = terms_of(params, io.BytesIO(content))
    assert list(again) == terms
    assert len(result.warnings) == result.warning_count
    return Read(terms, result.warnings)


def refused(content: bytes, format_: str = "csv") -> list[tuple[str, str]]:
    with pytest.raises(UnreadableFile) as caught:
        read(content, format_)
    assert isinstance(caught.value.details, list)
    return [(each.path, each.rule) for each in caught.value.details]


def translation(code: str, value: str, status: TranslationStatus) -> TermTranslation:
    waits = status == "pending_review"
    at = AT if status == "approved" else None
    return TermTranslation(
        code, "" if waits else value, status, at, value if waits else None
    )
