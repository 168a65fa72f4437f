"""Entries as CSV, for spreadsheets: a row for each entry, a column for each language.

``context,en,de,fr``: the column of the source language is the source text. For
formulas see file_import/csv_table.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from locframework.file_import.csv_table import read_table, write_rows
from locframework.languages import canonical_tag

from .file_records import Unit, UnitFault, UnitValue
from .records import MemoryEntry, TranslationMemory
from .tmx_file import source_of

CONTENT_TYPE = "text/csv; charset=utf-8"
CONTEXT = "context"

_SOURCES = ("source", "sourcetext")


def write_csv(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[bytes]:
    """Write the entries with approved texts in these languages.

    The same entries give the same bytes.
    """
    return write_rows(_rows(memory, language_codes, entries))


def read_csv(file: BinaryIO, source_language: str) -> Iterator[Unit | UnitFault]:
    """Yield the units of a file, in its order, and why others are left out.

    The source text is the column of the source language, or ``source``. Empty cells
    are no texts. Raises UnreadableFile.
    """

    def problem_of(columns: list[str]) -> str | None:
        if "source" not in columns:
            by_code = dict.fromkeys(columns, UnitValue(""))
            source = source_of(by_code, source_language)
            if source is None:
                return f"there is no column {source_language!r}"
            columns[columns.index(source)] = "source"
        return None

    for line, cells, has_surplus in read_table(file, _column_of, problem_of):
        if has_surplus:
            yield UnitFault(line, "there are more cells than columns")
        else:
            source, context = cells.pop("source", ""), cells.pop(CONTEXT, "")
            values = {code: UnitValue(cell) for code, cell in cells.items() if cell}
            yield Unit(line, source, context, values)


def _column_of(name: str) -> str | None:
    """Return ``context``, ``source``, or a canonical language code."""
    if name.lower() in (CONTEXT, *_SOURCES):
        return CONTEXT if name.lower() == CONTEXT else "source"
    return canonical_tag(name)


def _rows(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[Sequence[str]]:
    yield CONTEXT, memory.source_language, *language_codes
    for entry in entries:
        values = {
            each.language_code: each.value
            for each in entry.translations
            if each.status == "approved"
        }
        cells = (values.get(code, "") for code in language_codes)
        yield entry.context, entry.source_text, *cells
