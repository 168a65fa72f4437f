"""What is read of a file of terms."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest

from locframework.errors import UnreadableFile
from locframework.glossaries.csv_file import read_csv
from locframework.glossaries.file_records import FileTerm, ImportResult
from locframework.glossaries.file_rules import Faults, judged
from locframework.glossaries.records import Glossary
from locframework.glossaries.tbx_reading import read_tbx
from locframework.glossaries.term_piles import once, read_terms
from locframework.proposals.records import TermTranslation, TranslationStatus

AT = "2026-11-21T00:00:00.000Z"
GLOSSARY = Glossary("g", "g", "Ferry & co", "en", False, (), 0, AT, AT)


class Read(NamedTuple):
    """What an import is made of."""

    terms: list[FileTerm]
    warnings: list[str]


def read(content: bytes, format_: str = "csv") -> Read:
    faults, result, kept = Faults(), ImportResult(), io.BytesIO()
    file = io.BytesIO(content)
    if format_ == "csv":
        said = read_csv(file, faults)
    else:
        said = read_tbx(file, "en", faults, result.warn)
    count = once(judged(said, "en", faults, result, set()), kept, result)
    kept.seek(0)
    terms = list(read_terms(kept))
    assert len(terms) == count
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
