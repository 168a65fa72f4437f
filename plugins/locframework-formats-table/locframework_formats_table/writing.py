"""Writes texts into a table, a new one or one that was there before."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import (
    PLURAL_FORMS,
    Block,
    Catalogue,
    Entry,
    WrittenFile,
    fill_template,
)

from .columns import DESCRIPTION, FORM, LENGTH, STATUS, TEXT, Column, column_in
from .rows import File, Row


class Writing:
    """A table, the texts that it is to have, and the columns that they need."""

    def __init__(self, table: File, catalogues: Sequence[Catalogue]) -> None:
        self._table = table
        self._is_new = not table.head.text
        self._catalogues = catalogues
        self._entries: dict[str, dict[int, Entry]] = {}  # by key, by column
        self._known: dict[str, dict[str, Row]] = {}  # by key, by id
        self._rows = {row.id: row for row in table.rows if row.id is not None}
        for id_, row in self._rows.items():
            self._known.setdefault(id_.partition("\0")[0], {})[id_] = row
        every = [entry for one in catalogues for entry in one.entries]
        if any(isinstance(e.value, Mapping) and not self._is_plain(e) for e in every):
            self._column(FORM)
        if self._is_new and any(entry.description for entry in every):
            self._column(DESCRIPTION)
        if self._is_new and any(entry.max_length for entry in every):
            self._column(LENGTH)
        self._form = column_in(table.columns, FORM, None)
        self._description = column_in(table.columns, DESCRIPTION, None)
        self._length = column_in(table.columns, LENGTH, None)
        self._status: dict[int, int | None] = {}  # by column of texts
        for one in catalogues:
            at = self._column(TEXT, one.language_code)
            language = table.columns[at].language
            is_open = any(entry.needs_review and entry.value for entry in one.entries)
            known = column_in(table.columns, STATUS, language)
            self._status[at] = self._column(STATUS, language) if is_open else known
            for entry in one.entries:
                self._entries.setdefault(entry.key, {})[at] = entry

    def _column(self, kind: str, language: str | None = None) -> int:
        """The place of a column, which is added if there is none."""
        table = self._table
        at = column_in(table.columns, kind, language)
        if at is None:
            name = f"{language} {kind}" if kind == STATUS and language else kind
            at = max(len(table.columns), len(table.head.cells))
            table.head.cells.append(language or name if kind == TEXT else name)
            table.columns.append(Column(kind, language))
            table.places[table.columns[-1]] = at
        return at

    def _is_plain(self, entry: Entry) -> bool:
        """Whether the file has a plural as one text, which it can stay."""
        value = entry.value
        is_other = isinstance(value, str) or not value or value.keys() == {"other"}
        return is_other and f"{entry.key}\0" in self._known.get(entry.key, ())

    def ids(self) -> list[str]:
        """The rows that are written, in their order."""
        found: list[str] = []
        for key, by_column in self._entries.items():
            known = self._known.get(key, {})
            forms = {
                form for entry in by_column.values() for form in self._texts(entry)
            }
            for id_, row in known.items():
                if not forms or self._has_others(row, by_column):
                    forms.add(id_.partition("\0")[2])
            found += [f"{key}\0{form}" for form in ("", *PLURAL_FORMS) if form in forms]
        return found

    def _has_others(self, row: Row, given: Mapping[int, Entry]) -> bool:
        """Whether a row has texts in languages that are not written."""
        return any(at not in given for at in self._table.texts_in(row))

    def _texts(self, entry: Entry) -> Mapping[str, str]:
        """The texts of an entry by form, as the rows of the file have them."""
        value = entry.value
        if not value:
            return {}
        if isinstance(value, str):
            is_form = entry.is_plural and not self._is_plain(entry)
            return {"other" if is_form else "": value}
        return {"": value["other"]} if self._is_plain(entry) else value

    def _row(self, id_: str) -> Row:
        key = id_.partition("\0")[0]
        return self._rows.get(id_) or Row(0, "", [self._table.marked(key)])

    def lines_of(self, id_: str, newline: str) -> str:
        """The lines of a row, with what differs."""
        return self.rendered(self._row(id_), self.cells_of(id_), newline)

    def cells_of(self, id_: str) -> list[str]:
        """The cells of a row, with what differs."""
        key, _, form = id_.partition("\0")
        table, row = self._table, self._row(id_)
        cells = [*row.cells]

        def put(at: int | None, text: str) -> None:
            if at is not None and (at < len(cells) or text):
                cells.extend([""] * (at + 1 - len(cells)))
                if table.plain(cells[at]) != text:
                    cells[at] = table.marked(text)

        put(self._form, form)
        for at, entry in self._entries[key].items():
            text, status = self._texts(entry).get(form, ""), self._status[at]
            put(at, text)
            if text and status is not None:
                was_open = table.is_unreviewed(row, table.columns[status])
                if entry.needs_review is not was_open:
                    put(status, "needs review" if entry.needs_review else "approved")
            if entry.description:
                before = table.cell(row, Column(DESCRIPTION))
                if not before.startswith(entry.description):  # it may be cut short
                    put(self._description, entry.description)
            if entry.max_length is not None:
                put(self._length, str(entry.max_length))
        return cells

    def rendered(self, row: Row, cells: Sequence[str], newline: str) -> str:
        """The lines of a row with these cells, in quotes where all of it, or of the
        head, was."""
        if row.text and [*cells] == row.cells:
            return row.text
        line = row.text.rstrip("\r\n")
        model = row if line else self._table.head
        is_quoted = self._line(model.cells, True) == model.text.rstrip("\r\n")
        end = row.text[len(line) :] if line else newline
        return self._line(cells, is_quoted) + end

    def _line(self, cells: Sequence[str], is_quoted: bool) -> str:
        delimiter = self._table.delimiter
        special = f'"\r\n{delimiter}'
        return delimiter.join(
            '"{}"'.format(cell.replace('"', '""'))
            if is_quoted or cell != cell.strip() or any(c in cell for c in special)
            else cell
            for cell in cells
        )


def write_table(table: File, catalogues: Sequence[Catalogue]) -> WrittenFile:
    """Return the table with the texts of these catalogues."""
    newline = table.encoding.newline
    head = table.head
    old = replace(head, cells=[*head.cells])
    writing = Writing(table, catalogues)  # may add columns to the head
    blocks = [
        Block(
            writing.rendered(old, row.cells, newline)
            if row is table.head
            else row.text,
            row.id,
        )
        for row in table.rows
    ]
    text = fill_template(
        blocks,
        map(Entry, writing.ids()),
        lambda entry, _: writing.lines_of(entry.key, newline),
        newline,
    )
    file = table.encoding
    return WrittenFile(file.encoded(text), charset=file.declared)
