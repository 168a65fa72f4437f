"""Keeps text text in spreadsheets: what looks like a formula gets a mark in front.

Reading takes the mark away again, so it reads back the same (decisions 2.11).
"""

_MARK = "'"
_MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", _MARK)


def guarded(cell: str) -> str:
    """The cell as it is written."""
    return _MARK + cell if cell.startswith(_MARKED) else cell


def plain(cell: str) -> str:
    """What ``guarded`` has written."""
    is_guarded = cell.startswith(_MARK) and cell[1:].startswith(_MARKED)
    return cell[1:] if is_guarded else cell
