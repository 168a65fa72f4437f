"""The rows of a table: their lines, their cells, and which text each holds."""

import csv
import io
import re
from collections.abc import Sequence

from msgspec import Struct, field

from locframework.ports import PLURAL_FORMS, Faults, TextFile, quoted, unreadable

from .columns import FORM, TEXT, Column, columns_of

COLUMNS_LIMIT = 1000
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_UNREVIEWED = {
    *("needs review", "pending review", "needs work", "needs translation"),
    *("draft", "fuzzy", "new", "unfinished", "proposed", "todo"),
}


class Row(Struct):
    """A row of the file: its lines, and its cells as they are."""

    line: int
    text: str
    cells: list[str]
    id: str | None = None  # of a text: key, U+0000, plural form


class File(Struct):
    """A table that was read."""

    encoding: TextFile
    delimiter: str
    head: Row
    columns: list[Column]
    rows: list[Row]  # all, the head too
    marks_formulas: bool
    faults: Faults = field(default_factory=Faults)
    places: dict[Column, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, column in enumerate(self.columns):
            self.places.setdefault(column, at)

    def cell(self, row: Row, column: Column) -> str:
        """Return the text of a cell, "" if there is none."""
        at = self.places.get(column, len(row.cells))
        return self.plain(row.cells[at]) if at < len(row.cells) else ""

    def texts_in(self, row: Row) -> list[int]:
        """Return the columns of languages in which the row has a text."""
        cells = zip(self.columns, row.cells, strict=False)
        return [at for at, (c, cell) in enumerate(cells) if c.kind == TEXT and cell]

    def plain(self, cell: str) -> str:
        """Return the text of a cell, without the mark that keeps a spreadsheet from
        taking it for a formula: ``'=1`` is ``=1``, ``''=1`` is ``'=1``."""
        is_marked = self.marks_formulas and cell.startswith("'")
        return cell[1:] if is_marked and _FORMULA.match(cell) else cell

    def marked(self, text: str) -> str:
        """Return the cell of a text."""
        return f"'{text}" if self.marks_formulas and _FORMULA.match(text) else text

    def is_unreviewed(self, row: Row, status: Column) -> bool:
        """Return whether the status of a text says that it is not approved."""
        said = re.sub("[ _-]+", " ", self.cell(row, status).strip().lower())
        return said in _UNREVIEWED


def read_rows(content: bytes, delimiters: str, *, marks_formulas: bool) -> File:
    """Return the rows of a file. Raises UnreadableFile where it is no table; other
    faults are noted.

    UTF-8, or UTF-16 with a byte order mark. A first line such as ``sep=;`` names the
    delimiter; else it is the one that the head has most of.
    """
    encoding = TextFile.of(content, "utf-8", "utf-16")
    lines = list(io.StringIO(encoding.text, newline=""))  # CR and LF end lines
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    separator = _SEPARATOR.fullmatch(lines[start]) if lines[start:] else None
    start += 1 if separator else 0
    if not lines[start:]:
        raise unreadable(1, "column", "the file is empty")
    delimiter = max(delimiters, key=lines[start].count)
    delimiter = separator[1] if separator else delimiter
    reader = csv.reader(iter(lines[start:]), delimiter=delimiter, strict=True)
    rows = [Row(at, lines[at - 1], []) for at in range(1, start + 1)]
    at = start
    try:
        for cells in reader:
            end = start + reader.line_num
            rows.append(Row(at + 1, "".join(lines[at:end]), cells))
            at = end
    except csv.Error as error:
        raise unreadable(at + 1, "syntax", f"the row is broken: {error}") from None
    head = rows[start]
    if len(head.cells) > COLUMNS_LIMIT:
        message = f"there are more than {COLUMNS_LIMIT:,} columns"
        raise unreadable(head.line, "column", message)
    columns = columns_of(head.cells)
    file = File(encoding, delimiter, head, columns, rows, marks_formulas)
    set_ids(file, rows[start + 1 :])
    return file


def set_ids(file: File, rows: Sequence[Row]) -> None:
    """Give rows of texts their ids. Notes faults, and what is left out."""
    seen: dict[str, Row] = {}
    first_of: dict[str, Row] = {}
    for row in rows:
        key = file.plain(row.cells[0]) if row.cells else ""
        form = file.cell(row, Column(FORM)).strip().lower()
        if "\0" in row.text:
            file.faults.warn(row.line, "the row is left out: it contains U+0000")
        elif form and form not in PLURAL_FORMS:
            file.faults.add(row.line, "form", f"{quoted(form)} is no plural form")
        elif key:
            first = first_of.setdefault(key, row)
            same = seen.setdefault(f"{key}\0{form}", row)
            if bool(form) is not bool(file.cell(first, Column(FORM)).strip()):
                told = f"the key {quoted(key)} is on line {first.line} too, and of both"
                told = f"{told} only one has a plural form"
                file.faults.add(row.line, "duplicate", told)
            elif same is row:
                row.id = f"{key}\0{form}"
            elif same.cells == row.cells:
                file.faults.warn(row.line, f"the key {quoted(key)} is there twice")
            else:
                told = f"the key {quoted(key)} is on line {same.line} too"
                file.faults.add(row.line, "duplicate", told)
