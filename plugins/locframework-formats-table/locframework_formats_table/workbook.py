"""The format xlsx: the first sheet of a workbook that is a table of texts."""

import io
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from zipfile import BadZipFile, ZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell

from locframework.ports import (
    Block,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    UnreadableFile,
    WrittenFile,
    fill_template,
    quoted,
    unpacked_bytes,
    unreadable,
    write_archive,
)

from .columns import KEY, KEYS, TEXT, Column, columns_of
from .rows import COLUMNS_LIMIT, File, Row, set_ids
from .table import Table
from .writing import Writing

ROWS_LIMIT = 200_000
CHARACTERS_LIMIT = 50_000_000  # of all cells: many may have one long text
SHOWN_LIMIT = 32_767  # of a cell, in spreadsheets
_BROKEN = (
    *(BadZipFile, KeyError, ValueError, TypeError, AttributeError, IndexError, OSError),
    *(EOFError, zlib.error, struct.error, SyntaxError, ArithmeticError, RuntimeError),
)  # what openpyxl raises for a broken file
_ESCAPE = re.compile(r"_x(?!0000|[dD][89a-fA-F])([0-9a-fA-F]{4})_")
_NOT_XML = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_TIMES = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")


class Xlsx(Table):
    """As csv, in a sheet of a workbook. In a template only cells change whose texts
    differ; the workbook is written anew then, as openpyxl keeps it. Texts stay texts,
    also ``=1+1``."""

    def __init__(self) -> None:
        self.info = FormatInfo(
            id="xlsx",
            name="XLSX, a column for each language",
            extension=".xlsx",
            content_type="application/"
            "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            comments=True,
            max_lengths=True,
            multilingual=True,
            marks_unreviewed=True,
            limits=("texts that have the look of an escape: _x000D_",),
        )

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One workbook, with a column for each catalogue's language."""
        template = catalogues[0].template if catalogues else None
        if template is not None:
            with suppress(UnreadableFile):  # it is no table any more
                return _write(*_read(template), catalogues, template)
        head = Row(1, "", [KEY])
        table = File(TextFile("", "utf-8"), "", head, [Column(KEY)], [head], False)
        return _write(table, "Texts", catalogues, None)

    def _table(self, content: bytes) -> File:
        return _read(content)[0]

    def _beginning(self, content: bytes) -> bytes:
        return content


def _rows(values: Iterator[Sequence[object]]) -> Iterator[Row]:
    """The rows of a sheet, without empty cells at their ends."""
    left = CHARACTERS_LIMIT
    for number, found in enumerate(values, 1):
        cells = ["" if value is None else str(value) for value in found]
        cells = [_ESCAPE.sub(lambda e: chr(int(e[1], 16)), cell) for cell in cells]
        while cells and not cells[-1]:
            del cells[-1]
        left -= sum(map(len, cells))
        if number > ROWS_LIMIT or len(found) > COLUMNS_LIMIT or left < 0:
            told = f"{ROWS_LIMIT:,} rows, {COLUMNS_LIMIT:,} columns"
            told = f"there are more than {told} or {CHARACTERS_LIMIT:,} characters"
            raise unreadable(number, "size", told)
        yield Row(number, str(number), cells)


def _read(content: bytes) -> tuple[File, str]:
    """The table, and the name of its sheet: the first that is one, or the first."""
    unpacked_bytes(content)  # refuses archives over the limits
    found: tuple[list[Row], Iterator[Row], str] | None = None
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()
            rows = _rows(sheet.iter_rows(values_only=True))
            start: list[Row] = []
            for row in rows:
                start.append(row)
                if row.cells:
                    break
            head = start[-1].cells if start else []
            is_table = any(column.kind == TEXT for column in columns_of(head))
            is_table = is_table and head[0].strip().lower() in KEYS
            if head and (is_table or found is None):
                found = start, rows, sheet.title
            if is_table:
                break
        if found is None:
            raise unreadable(1, "column", "the workbook is empty")
        start, rows, title = found
        rest = [*rows]
    except _BROKEN as error:
        told = f"this is no workbook: {quoted(str(error))}"
        raise unreadable(1, "syntax", told) from None
    head_row = start[-1]
    columns = columns_of(head_row.cells)
    encoding, all_rows = TextFile("", "utf-8"), [*start, *rest]
    table = File(encoding, "", head_row, columns, all_rows, marks_formulas=False)
    set_ids(table, rest)
    return table, title


def _write(
    table: File, title: str, catalogues: Sequence[Catalogue], template: bytes | None
) -> WrittenFile:
    """The workbook with the texts of these catalogues."""
    old = {row.line: [*row.cells] for row in table.rows if template is not None}
    rows = {row.id: row for row in table.rows if row.id is not None}
    writing = Writing(table, catalogues)  # may add columns to the head
    plan: list[tuple[int, list[str]]] = []  # the row of the template, or 0; and cells

    def planned(row: Row | None, cells: list[str]) -> str:
        plan.append((row.line if row and row.line in old else 0, cells))
        return f"{len(plan) - 1}\n"

    order = fill_template(
        [
            Block("" if row.id else planned(row, row.cells), row.id)
            for row in table.rows
        ],
        map(Entry, writing.ids()),
        lambda entry, _: planned(rows.get(entry.key), writing.cells_of(entry.key)),
    )
    made = [plan[int(at)] for at in order.split()]
    if template is not None and made == [*old.items()]:
        return WrittenFile(template)
    book = Workbook()
    if template is not None:
        book = load_workbook(io.BytesIO(template), rich_text=True)
    sheet = book.worksheets[0] if template is None else book[title]
    places = {line: at for at, (line, _) in enumerate(made, 1) if line}
    cells = {}
    for (line, column), cell in sheet._cells.items():
        if line in places:
            cell.row = places[line]
            cells[cell.row, column] = cell
    sheet._cells = cells
    warnings: list[str] = []
    for at, (line, texts) in enumerate(made, 1):
        before = [*old.get(line, []), *[""] * len(texts)]
        for column, text in enumerate(texts, 1):
            if text == before[column - 1]:
                continue
            cell = sheet.cell(at, column)
            if not isinstance(cell, Cell):
                warnings.append(f"{texts[0]} is left out: its cells are merged")
                continue
            if not line and at > 1:  # openpyxl has no public name for both
                above = sheet.cell(at - 1, column)._style  # type: ignore[union-attr]
                cell._style = copy(above)  # type: ignore[attr-defined]
            # The property value would cut texts, and take "=1" for a formula.
            cell._value = _spelled(text) or None  # type: ignore[attr-defined]
            cell.data_type = "s" if text else "n"
            if len(text) > SHOWN_LIMIT or _ESCAPE.search(text):
                told = f"over {SHOWN_LIMIT:,} characters, or what reads as an escape"
                warnings.append(f"{texts[0]} may differ in spreadsheets: it has {told}")
    if template is None:
        sheet.title, sheet.freeze_panes = title, "B2"
    return WrittenFile(_packed(book, is_new=template is None), warnings)


def _spelled(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _packed(book: Workbook, *, is_new: bool) -> bytes:
    """The bytes of a workbook, whenever it is written."""

    def timeless(found: re.Match[bytes]) -> bytes:
        is_set = is_new or found[2] == b"modified"
        return found[1] + b"1980-01-01T00:00:00Z" if is_set else found[0]

    target = io.BytesIO()
    book.save(target)
    with ZipFile(target) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    core = "docProps/core.xml"
    files[core] = _TIMES.sub(timeless, files[core])
    return write_archive([SourceFile(name, each) for name, each in files.items()])
