"""The formats csv and tsv."""

import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    TextFile,
    UnreadableFile,
    WrittenFile,
    unreadable,
)

from .columns import DESCRIPTION, KEY, KEYS, LENGTH, STATUS, TEXT, Column
from .rows import File, Row, read_rows
from .writing import write_table

_MARK = b"\xef\xbb\xbf"
_HEAD = 64 * 1024  # bytes that tell whether a file is a table of texts


class Table:
    """A row for each key, or for each plural form of a key; a column for each language.

    ``spreadsheets``: new files have a byte order mark, and texts that would be taken
    for formulas a quote mark before them. Other columns, rows without a key, delimiter,
    quotes and line ends are the template's.
    """

    def __init__(
        self, id_: str, type_: str, delimiters: str, *, spreadsheets: bool
    ) -> None:
        self.info = FormatInfo(
            id=id_,
            name=f"{id_.upper()}, a column for each language",
            extension=f".{id_}",
            content_type=f"{type_}; charset=utf-8",
            comments=True,
            max_lengths=True,
            multilingual=True,
            marks_unreviewed=True,
        )
        self._delimiters = delimiters
        self._spreadsheets = spreadsheets

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the first column is headed as one of keys, and another as texts."""
        if not file.name.lower().endswith(self.info.extension):
            return False
        try:
            table = self._table(self._beginning(file.content))
        except UnreadableFile:
            return False
        has_texts = any(column.kind == TEXT for column in table.columns)
        return has_texts and table.head.cells[0].strip().lower() in KEYS

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue for each language. Raises UnreadableFile."""
        table = self._table(file.content)
        found = _catalogues(table)
        table.faults.raise_any()
        return found

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One table, with a column for each catalogue's language."""
        template = catalogues[0].template if catalogues else None
        if template is not None:
            with suppress(UnreadableFile):  # it is no table any more
                return write_table(self._table(template), catalogues)
        head = Row(1, "", [KEY])
        encoding = TextFile("", "utf-8", _MARK if self._spreadsheets else b"")
        delimiter, columns = self._delimiters[0], [Column(KEY)]
        table = File(encoding, delimiter, head, columns, [head], self._spreadsheets)
        return write_table(table, catalogues)

    def _beginning(self, content: bytes) -> bytes:
        """The lines that tell whether a file is a table of texts."""
        head = content[:_HEAD]
        return head[: head.rfind(b"\n") + 1] or head

    def _table(self, content: bytes) -> File:
        return read_rows(content, self._delimiters, marks_formulas=self._spreadsheets)


def _catalogues(table: File) -> list[Catalogue]:
    """Return the catalogue of each language: the keys that have a text there, the first
    also those that have none at all."""
    found: dict[int, list[Entry]] = {
        at: [] for at, c in enumerate(table.columns) if c.kind == TEXT
    }
    if not found:
        told = "no column is headed with the code of a language, or with 'text'"
        raise unreadable(table.head.line, "column", told)
    by_key: dict[str, list[Row]] = {}
    for row in table.rows:
        if row.id is not None:
            by_key.setdefault(row.id.partition("\0")[0], []).append(row)
    first = next(iter(found))
    for key, rows in by_key.items():
        places = {at for row in rows for at in table.texts_in(row)}
        for at in places or {first}:
            found[at].append(_entry(table, key, rows, table.columns[at]))
    made = [Catalogue(table.columns[at].language, some) for at, some in found.items()]
    return [replace(made[0], warnings=table.faults.warnings), *made[1:]]


def _entry(table: File, key: str, rows: Sequence[Row], column: Column) -> Entry:
    forms = {str(row.id).partition("\0")[2]: table.cell(row, column) for row in rows}
    value: Text | None = {form: text for form, text in forms.items() if text} or None
    if "" in forms:
        value = forms[""] or None
    length = table.cell(rows[0], Column(LENGTH)).strip()
    status = Column(STATUS, column.language)
    is_open = any(table.is_unreviewed(row, status) for row in rows)
    return Entry(
        key,
        value,
        is_plural="" not in forms,
        description=table.cell(rows[0], Column(DESCRIPTION)),
        needs_review=is_open and value is not None,
        line=rows[0].line,
        max_length=int(length) if re.fullmatch("[1-9][0-9]{0,5}", length) else None,
    )
