"""CSV as spreadsheets write and read it, row by row; memory does not grow with a file.

Text stays text: what looks like a formula gets a mark in front, which reading takes
away again, so it reads back the same (decisions 2.11). What is wrong with a file is
told in words for who has made it.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO, NamedTuple

from locframework.errors import Problem, UnreadableFile, abbreviate
from locframework.languages import looks_like_word

_MARK = "'"
_MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", _MARK)
_DELIMITERS = ",;\t"
_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")  # in ZIP, XLSX, images
_SEPARATOR = re.compile(r'("?)sep=([^"\r\n])\1[\r\n]*', re.I)

CHUNK = 64 * 1024
ROW_MOST = 4 * 1024 * 1024  # bytes of a row: it is read as a whole
COLUMNS_MOST = 1000

_FAULTS = {
    "unexpected end": "a quote is opened but not closed",
    "field larger": f"a cell has more than {csv.field_size_limit():,} characters",
    "'": "a quote within a quoted cell is not doubled",
}  # by how the message of the library begins


class CsvFault(Exception):
    """What makes a file unreadable, and in which line."""

    def __init__(self, line: int, rule: str, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.rule = rule
        self.message = message


def guarded(cell: str) -> str:
    """The cell as it is written: with a mark where it looks like a formula."""
    return _MARK + cell if cell.startswith(_MARKED) else cell


def plain(cell: str) -> str:
    """The cell as it was given to ``guarded``: without the mark."""
    is_guarded = cell.startswith(_MARK) and cell[1:].startswith(_MARKED)
    return cell[1:] if is_guarded else cell


def write_rows(rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """The lines of a file, guarded; UTF-8 with a byte order mark, which spreadsheets go
    by."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    out.write("\ufeff")
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
        yield out.getvalue().encode()
        out.seek(0)
        out.truncate()


def read_rows(file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, each with the line in which it begins, from 1 on.

    UTF-8, with a byte order mark or without, or UTF-16 with one; LF, CR LF or CR end a
    line. What parts the cells is told by a line before all others (``sep=;``), as
    spreadsheets write it; else the first line shows whether they are commas,
    semicolons or tabs. Blank lines before it are passed over; a file of nothing else
    has no rows. Raises CsvFault.
    """
    lines = _Lines(file)
    filled = filter(str.strip, lines)
    first = next(filled, None)
    told = _SEPARATOR.fullmatch(first or "")
    if told:
        first = next(filled, None)
    if first is None:
        return
    before = lines.number - 1
    delimiter = told[2] if told else max(_DELIMITERS, key=first.count)
    rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    begins = before + 1
    try:
        for row in rows:
            if len(row) > COLUMNS_MOST:
                message = f"there are more than {COLUMNS_MOST:,} columns"
                raise CsvFault(begins, "column", message)
            yield begins, row
            begins = before + rows.line_num + 1
            lines.row_bytes = 0
    except csv.Error as error:
        raise CsvFault(begins, "syntax", _told(error)) from None


class TableRow(NamedTuple):
    """A row under its columns, as it was before ``guarded`` wrote it."""

    line: int  # in which it begins, from 1 on
    cells: dict[str, str]  # by column; those at the end may be missing
    has_surplus: bool  # more cells than columns; empty ones do not count


def read_table(
    file: BinaryIO, columns_of: Callable[[int, Sequence[str]], Sequence[str]]
) -> Iterator[TableRow]:
    """The rows below the head that are not blank.

    ``columns_of`` tells what the columns of the head are, and is given its line.
    Raises CsvFault, for an empty file too.
    """
    columns: Sequence[str] | None = None
    for line, row in read_rows(file):
        if columns is None:
            columns = columns_of(line, _named(row))
        elif any(cell.strip() for cell in row):
            cells = dict(zip(columns, map(plain, row), strict=False))
            surplus = any(cell.strip() for cell in row[len(columns) :])
            yield TableRow(line, cells, surplus)
    if columns is None:
        raise CsvFault(1, "column", "the file is empty")


def _named(head: Sequence[str]) -> Sequence[str]:
    """The head without empty cells at its end, which spreadsheets write too."""
    named = [number for number, cell in enumerate(head, 1) if cell.strip()]
    return head[: max(named, default=0)]


def columns_in(
    head: Sequence[str], known: Callable[[str], str | None]
) -> tuple[list[str], list[str]]:
    """What the columns of a head are, and what is wrong with them.

    ``known`` tells how a column is called, None for one that it does not know.
    """
    columns: list[str] = []
    wrong: list[str] = []
    for cell in head:
        name = cell.strip()
        column = known(name)
        if column is None:
            told = f"{abbreviate(name)!r} is neither a language nor a known column"
            wrong.append(f"{told} (the file was read as CSV; XML begins with '<')")
            column = name
        if column in columns:
            wrong.append(f"{abbreviate(column)!r} appears twice")
        columns.append(column)
    return columns, wrong


def refuse_words(codes: Iterable[str], instead: str) -> None:
    """Refuse a new language whose column may well be headed by a word that happens to
    be a code: ``key``, ``url``. ``instead`` is what one does where it is a language.

    Raises UnreadableFile.
    """
    for code in sorted(filter(looks_like_word, codes)):
        told = f"{code!r} is not a known column, nor a language that exists here"
        message = f"{told} or that CLDR knows: if it is a language, {instead}"
        raise UnreadableFile(message, [Problem("head", "column", message)])


class _Lines:
    """The lines of a file, each with its end; counts what a row takes."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = _split(file)
        self.number = 0  # of the line that was read last, from 1 on
        self.row_bytes = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        if self.number == 1 and _NO_TEXT.search(line):
            message = "the file is not text, as CSV is: save a spreadsheet as CSV"
            raise CsvFault(self.number, "encoding", message)
        self.row_bytes += len(line)
        if self.row_bytes > ROW_MOST:
            message = f"a row has more than {ROW_MOST:,} bytes: is a quote not closed?"
            raise CsvFault(self.number, "length", message)
        try:
            return line.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError:
            message = "the file is not UTF-8"
            raise CsvFault(self.number, "encoding", message) from None


def _split(file: BinaryIO) -> Iterator[bytes]:
    """The lines; of one that is longer than any row may be, only the beginning."""
    rest = b""
    for chunk in _utf8(file):
        # the last one may go on, or be the CR of a CR LF
        *whole, rest = (rest + chunk).splitlines(keepends=True)
        yield from whole
        if len(rest) > ROW_MOST:
            break
    if rest:
        yield rest


def _utf8(file: BinaryIO) -> Iterator[bytes]:
    """The file in pieces; one that begins with the mark of UTF-16, which spreadsheets
    call Unicode text, as UTF-8."""
    chunk = file.read(CHUNK)
    if not chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        while chunk:
            yield chunk
            chunk = file.read(CHUNK)
        return
    decoder, line = codecs.getincrementaldecoder("utf-16")(), 1
    while True:
        try:
            piece = decoder.decode(chunk, final=not chunk).encode()
        except UnicodeDecodeError:
            message = "the file begins as UTF-16, but is not UTF-16"
            raise CsvFault(line, "encoding", message) from None
        if piece:
            yield piece
        if not chunk:
            return
        line += piece.count(b"\n")
        chunk = file.read(CHUNK)


def _told(error: csv.Error) -> str:
    told = (each for begin, each in _FAULTS.items() if str(error).startswith(begin))
    return next(told, "the line is not CSV")
