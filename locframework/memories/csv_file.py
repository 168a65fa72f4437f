"""Entries as CSV, for spreadsheets: a row an entry, a column a language.

``context,en,de,fr``: the column of the source language is the source text. Text that
a spreadsheet would take for a formula gets a quote mark in front, which is taken away
again when it is read (decisions 2.11).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from locframework.errors import Problem, UnreadableFile
from locframework.file_import.csv_table import (
    CsvFault,
    columns_in,
    read_table,
    write_rows,
)
from locframework.languages import canonical_tag

from .file_records import Unit, UnitFault, UnitValue
from .records import MemoryEntry, TranslationMemory
from .tmx_reading import Found, source_of

CONTENT_TYPE = "text/csv; charset=utf-8"
CONTEXT = "context"

_SOURCES = ("source", "sourcetext")


def write_csv(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[bytes]:
    """The entries with what counts in these languages; no proposals and no drafts.

    The same entries give the same bytes.
    """
    return write_rows(_rows(memory, language_codes, entries))


def read_csv(file: BinaryIO, source_language: str) -> Iterator[Found]:
    """The units of a file, in its order; of what is left out, why.

    The source text is the column of the source language, or ``source``. An empty cell
    says nothing. Raises UnreadableFile, with the line, for what is no such file.
    """

    def columns_of(line: int, head: Sequence[str]) -> Sequence[str]:
        return _columns(line, head, source_language)

    try:
        for line, cells, has_surplus in read_table(file, columns_of):
            if has_surplus:
                yield UnitFault(line, "there are more cells than columns")
            else:
                yield _unit(line, cells)
    except CsvFault as fault:
        where = f"line {fault.line}"
        problem = Problem(where, fault.rule, fault.message)
        raise UnreadableFile(f"{where}: {fault.message}", [problem]) from None


def _columns(line: int, head: Sequence[str], source_language: str) -> list[str]:
    """What each column is: ``context``, ``source``, or a canonical language code."""
    columns, wrong = columns_in(head, _known)
    if "source" not in columns:
        source = source_of(dict.fromkeys(columns, UnitValue("")), source_language)
        if source is None:
            wrong.append(f"there is no column {source_language!r}")
        else:
            columns[columns.index(source)] = "source"
    if wrong:
        raise CsvFault(line, "column", wrong[0])
    return columns


def _known(name: str) -> str | None:
    if name.lower() in (CONTEXT, *_SOURCES):
        return CONTEXT if name.lower() == CONTEXT else "source"
    return canonical_tag(name)


def _unit(line: int, cells: dict[str, str]) -> Unit:
    source, context = cells.pop("source", ""), cells.pop(CONTEXT, "")
    values = {code: UnitValue(cell) for code, cell in cells.items() if cell}
    return Unit(line, source, context, values)


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
