"""Entries as CSV, for spreadsheets: a row an entry, a column a language.

``context,en,de,fr``: the column of the source language is the source text. Text that
a spreadsheet would take for a formula gets a quote mark in front, which is taken away
again when it is read (decisions 2.11).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from locframework.errors import Problem, UnreadableFile, mentioned
from locframework.languages import canonical_tag
from locframework.spreadsheet import fault, guarded, plain

from .file_records import Unit, UnitFault, UnitValue
from .records import MemoryEntry, TranslationMemory
from .tmx_reading import Found, source_of

CONTENT_TYPE = "text/csv; charset=utf-8"
CONTEXT = "context"

_SOURCES = ("source", "sourcetext")
_DELIMITERS = ",;\t"
_HEAD_MOST = 64 * 1024  # bytes of the first line


def write_csv(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[bytes]:
    """The entries with what counts in these languages; no proposals and no drafts.

    UTF-8 with a byte order mark, which spreadsheets go by. The same entries give the
    same bytes.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)

    def row(cells: Sequence[str]) -> bytes:
        writer.writerow([guarded(cell) for cell in cells])
        line = out.getvalue().encode()
        out.seek(0)
        out.truncate()
        return line

    yield "\ufeff".encode() + row([CONTEXT, memory.source_language, *language_codes])
    for entry in entries:
        values = {
            each.language_code: each.value
            for each in entry.translations
            if each.status == "approved"
        }
        cells = [values.get(code, "") for code in language_codes]
        yield row([entry.context, entry.source_text, *cells])


def read_csv(file: BinaryIO, source_language: str) -> Iterator[Found]:
    """The units of a file, in its order; of what is left out, why.

    Commas, semicolons or tabs part the columns, as the first line says; the source
    text is the column of the source language, or ``source``. An empty cell says
    nothing. Raises UnreadableFile, with the line, for what is no such file.
    """
    head = file.read(_HEAD_MOST).partition(b"\n")[0].decode("utf-8", "replace")
    file.seek(0)
    delimiter = max(_DELIMITERS, key=head.count)
    rows = csv.reader(_lines(file), delimiter=delimiter, strict=True)
    line = 1
    columns: list[str] | None = None
    try:
        for row in rows:
            begins, line = line, rows.line_num + 1
            if columns is None:
                columns = _columns(row, source_language)
            elif any(cell.strip() for cell in row):
                yield _unit(begins, dict(zip(columns, row, strict=False)))
    except csv.Error as error:
        raise _unreadable(line, "syntax", fault(error)) from None
    if columns is None:
        raise _unreadable(1, "column", "the file is empty")


def _lines(file: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise _unreadable(number, "encoding", "the file is not UTF-8") from None


def _columns(head: Sequence[str], source_language: str) -> list[str]:
    """What each column is: ``context``, ``source``, or a canonical language code."""
    columns: list[str] = []
    for cell in head:
        name = cell.strip()
        tag = canonical_tag(name)
        if name.lower() == CONTEXT or name.lower() in _SOURCES:
            name = CONTEXT if name.lower() == CONTEXT else "source"
        elif tag is None:
            message = f"{mentioned(name)!r} is neither a language nor a known column"
            raise _unreadable(1, "column", message)
        else:
            name = tag
        if name in columns:
            raise _unreadable(1, "column", f"{mentioned(name)!r} is there twice")
        columns.append(name)
    if "source" not in columns:
        source = source_of(dict.fromkeys(columns, UnitValue("")), source_language)
        if source is None:
            message = f"there is no column {source_language!r}"
            raise _unreadable(1, "column", message)
        columns[columns.index(source)] = "source"
    return columns


def _unit(line: int, row: dict[str, str]) -> Unit | UnitFault:
    cells = {name: plain(cell) for name, cell in row.items()}
    source, context = cells.pop("source", ""), cells.pop(CONTEXT, "")
    values = {code: UnitValue(cell) for code, cell in cells.items() if cell}
    return Unit(line, source, context, values)


def _unreadable(line: int, rule: str, message: str) -> UnreadableFile:
    where = f"line {line}"
    return UnreadableFile(f"{where}: {message}", [Problem(where, rule, message)])
