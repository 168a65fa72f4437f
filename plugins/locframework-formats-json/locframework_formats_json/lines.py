"""Finds the lines of a JSON text that the parser does not tell."""

import re
from collections.abc import Sequence
from itertools import compress, count

# "*+" and not "*", which notes a place to go back to at every escape
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING_OR_NAME = re.compile(_STRING + r"(\s*:)?")
_STRING_OR_BRACKET = re.compile(_STRING + r"|[\[\]{}]")
_VALUE_BELOW_ITS_NAME = re.compile(r":\s*\n")
_NEXT_LINE = re.compile(r'\n[ \t\r]*("?)')  # and the quote that it begins with
_STEP = {"{": 1, "[": 1, "}": -1, "]": -1}


def member_lines(text: str, members: int, *, has_arrays: bool) -> Sequence[int]:
    """The line of each of the ``members`` of an object, nested ones included.

    The usual layouts cost a fifth of what parsing costs, the others about as much.
    """
    if "\n" not in text.rstrip():
        return [1] * members
    if not has_arrays and not _VALUE_BELOW_ITS_NAME.search(text):
        # then a line that begins with a string begins with a name; when there are
        # as many as members, each member has its own
        lines = list(compress(count(2), _NEXT_LINE.findall(text)))
        if len(lines) == members:
            return lines
    return _lines_of_names(text)


def line_of_depth(text: str, depth: int) -> int:
    """The line where an object or array is first nested deeper than ``depth``."""
    now = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        now += _STEP.get(found[0], 0)
        if now > depth:
            return text.count("\n", 0, found.start()) + 1
    return 1


def _lines_of_names(text: str) -> list[int]:
    lines = []
    line, seen = 1, 0
    for found in _STRING_OR_NAME.finditer(text):
        if found[1]:
            line += text.count("\n", seen, found.start())
            seen = found.start()
            lines.append(line)
    return lines
