"""Reads and writes CSV as spreadsheets do, row by row: memory stays constant.

Text stays text: a cell that a spreadsheet would take for a formula is written with a
quote mark in front, which reading removes (decisions 2.11).
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from locframework.errors import Problem, UnreadableFile, abbreviate
from locframework.languages import looks_like_word

from .problems import Problems, unreadable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MARK = "'"
_MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", _MARK)
_DELIMITERS = ",;\t"
_BINARY = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")  # in ZIP, XLSX, images
_SEPARATOR = re.compile(r'("?)sep=([^"\r\n])\1[\r\n]*', re.I)

CHUNK = 64 * 1024
ROW_LIMIT = 4 * 1024 * 1024  # characters of a row: it is read as a whole
COLUMNS_LIMIT = 1000


def mark_formula(cell: str) -> str:
    """Return the cell as it is written, marked where it looks like a formula."""
    return _MARK + cell if cell.startswith(_MARKED) else cell


def unmark_formula(cell: str) -> str:
    """Return the cell as ``mark_formula`` got it."""
    is_marked = cell.startswith(_MARK) and cell[1:].startswith(_MARKED)
    return cell[1:] if is_marked else cell


def write_rows(rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Yield the lines of a file, in UTF-8 with the byte order mark that spreadsheets
    need."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    out.write("\ufeff")
    for row in rows:
        writer.writerow([mark_formula(cell) for cell in row])
        yield out.getvalue().encode()
        out.seek(0)
        out.truncate()


def read_rows(file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file, each with its first line, counted from 1.

    UTF-8, or UTF-16 with a byte order mark; LF, CR LF or CR end a line. A first line
    such as ``sep=;`` names the delimiter; else the head shows whether it is a comma, a
    semicolon or a tab. Blank lines before the head are skipped. Raises UnreadableFile.
    """
    lines = _Lines(file)
    filled = filter(str.strip, lines)
    head = next(filled, None)
    separator = _SEPARATOR.fullmatch(head or "")
    if separator:
        head = next(filled, None)
    if head is None:
        return
    before = lines.number - 1
    delimiter = separator[2] if separator else max(_DELIMITERS, key=head.count)
    rows = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
    first_line = before + 1
    try:
        for row in rows:
            if len(row) > COLUMNS_LIMIT:
                message = f"there are more than {COLUMNS_LIMIT:,} columns"
                raise unreadable(first_line, "column", message)
            yield first_line, row
            first_line = before + rows.line_num + 1
            lines.row_size = 0
    except csv.Error as error:
        message = f"the line is not CSV: {error}"
        raise unreadable(first_line, "syntax", message) from None


class TableRow(NamedTuple):
    """A row by column, without the marks of formulas."""

    line: int  # the first of the row, counted from 1
    cells: dict[str, str]  # by column; those at the end may be missing
    has_surplus: bool  # more cells than columns; empty ones do not count


def read_table(
    file: BinaryIO,
    column_of: Callable[[str], str | None],
    problem_of: Callable[[list[str]], str | None],
) -> Iterator[TableRow]:
    """Yield the rows below the head that are not blank.

    ``column_of`` returns the column that a cell of the head names, or None.
    ``problem_of`` returns what is wrong with the columns, or None; it may rename them.
    Raises UnreadableFile, also for an empty file.
    """
    columns: list[str] | None = None
    for line, row in read_rows(file):
        if columns is None:
            columns = _columns(line, row, column_of, problem_of)
        elif any(cell.strip() for cell in row):
            cells = dict(zip(columns, map(unmark_formula, row), strict=False))
            surplus = any(cell.strip() for cell in row[len(columns) :])
            yield TableRow(line, cells, surplus)
    if columns is None:
        raise unreadable(1, "column", "the file is empty")


def _columns(
    line: int,
    head: Sequence[str],
    column_of: Callable[[str], str | None],
    problem_of: Callable[[list[str]], str | None],
) -> list[str]:
    named = [number for number, cell in enumerate(head, 1) if cell.strip()]
    columns: list[str] = []
    problems = Problems()
    for cell in head[: max(named, default=0)]:
        name = cell.strip()
        column = column_of(name)
        if column is None:
            unknown = f"{abbreviate(name)!r} is neither a language nor a known column"
            hint = "the file was read as CSV; XML begins with '<'"
            problems.add(line, "column", f"{unknown} ({hint})")
            column = name
        if column in columns:
            problems.add(line, "column", f"{abbreviate(column)!r} appears twice")
        columns.append(column)
    if problem := problem_of(columns):
        problems.add(line, "column", problem)
    problems.raise_any()
    return columns


def refuse_words(codes: Iterable[str], remedy: str) -> None:
    """Refuse a new language whose column is probably headed by a word that happens to
    be a language code, such as ``key`` or ``url``. Raises UnreadableFile."""
    for code in sorted(filter(looks_like_word, codes)):
        unknown = f"{code!r} is not a known column, nor a language that exists here"
        message = f"{unknown} or that CLDR knows: if it is a language, {remedy}"
        raise UnreadableFile(message, [Problem("head", "column", message)])


class _Lines:
    def __init__(self, file: BinaryIO) -> None:
        content = io.BufferedReader(_Raw(file), CHUNK)
        head = content.peek(CHUNK)
        encoding = "utf-8-sig"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        elif _BINARY.search(head.partition(b"\n")[0]):
            message = "the file is not text, as CSV is: save a spreadsheet as CSV"
            raise unreadable(1, "encoding", message)
        self._text = io.TextIOWrapper(content, encoding, newline="")
        self.number = 0  # of the line that was read last, from 1
        self.row_size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self._text.readline(ROW_LIMIT)
        except UnicodeDecodeError as error:
            number = self.number + 1 + error.object[: error.start].count(b"\n")
            encoding = (
                "UTF-16, though it begins so" if "16" in error.encoding else "UTF-8"
            )
            raise unreadable(
                number, "encoding", f"the file is not {encoding}"
            ) from None
        if not line:
            raise StopIteration
        self.number += 1
        self.row_size += len(line)
        if self.row_size >= ROW_LIMIT:
            size = f"{ROW_LIMIT:,} characters"
            message = f"a row has more than {size}: is a quote not closed?"
            raise unreadable(self.number, "length", message)
        return line


class _Raw(io.RawIOBase):
    """A stream over what can only be read; closing it leaves the file open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        into = memoryview(buffer).cast("B")
        content = self._file.read(len(into))
        into[: len(content)] = content
        return len(content)
