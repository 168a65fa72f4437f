"""Keeps text text in spreadsheets: what looks like a formula gets a mark in front.

Reading takes the mark away again, so it reads back the same (decisions 2.11). What is
wrong with CSV is told in words for who has made the file.
"""

import csv

_MARK = "'"
_MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", _MARK)

_FAULTS = {
    "new-line": "a line ends in a carriage return alone; LF or CR LF should end it",
    "unexpected end": "a quote is opened and not closed",
    "field larger": f"a cell has more than {csv.field_size_limit():,} characters",
    "'": "a quote within a quoted cell is not doubled",
}  # by how the message of the library begins


def guarded(cell: str) -> str:
    """The cell as it is written."""
    return _MARK + cell if cell.startswith(_MARKED) else cell


def plain(cell: str) -> str:
    """What ``guarded`` has written."""
    is_guarded = cell.startswith(_MARK) and cell[1:].startswith(_MARKED)
    return cell[1:] if is_guarded else cell


def fault(error: csv.Error) -> str:
    """What is wrong with a line."""
    told = (each for begin, each in _FAULTS.items() if str(error).startswith(begin))
    return next(told, "the line is not CSV")
