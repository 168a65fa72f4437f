"""Reads JSON strictly: one object, and every fault with its line; and writes it.

Stricter than the standard library: no duplicate members, NUL, lone surrogates, NaN,
Infinity, or nesting deeper than 64 (decisions 2.10).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, count
from math import isfinite
from typing import TypeAlias

import msgspec

from locframework.ports import Problem, UnreadableFile, abbreviate

DEEPEST = 64  # objects and arrays inside one another, the outermost included


class Repeating(tuple[tuple[str, "Json"], ...]):
    """An object in which a name stands twice: its members in file order."""

    __slots__ = ()

    def items(self) -> Iterable[tuple[str, "Json"]]:
        """As a dict's, with the duplicates."""
        return self

    def values(self) -> Iterable["Json"]:
        """As a dict's, with the duplicates."""
        return [value for _, value in self]


Object: TypeAlias = "dict[str, Json] | Repeating"
Json: TypeAlias = "str | bool | int | float | list[Json] | Object | None"


class Census:
    """How much a value holds in all, its inner values included.

    Raises RecursionError where it is nested deeper than DEEPEST.
    """

    def __init__(self, value: Json) -> None:
        self.members = 0
        self.texts = 0  # not counting names
        self.has_arrays = False
        if isinstance(value, (dict, Repeating, list)):
            self._take(value, 1)

    def _take(self, value: "Object | list[Json]", depth: int) -> None:
        if depth > DEEPEST:
            raise RecursionError
        if isinstance(value, list):
            self.has_arrays = True
            values: Iterable[Json] = value
        else:
            self.members += len(value)
            values = value.values()
        others = [inner for inner in values if type(inner) is not str]
        self.texts += len(value) - len(others)
        for inner in others:
            if isinstance(inner, (dict, Repeating, list)):
                self._take(inner, depth + 1)


def numbered(members: Object) -> Iterator[tuple[int, str, Json]]:
    """The members of the outermost object with their numbers, as Document counts."""
    first = 0
    for name, value in members.items():
        yield first, name, value
        first += 1 if type(value) is str else 1 + members_in(value)


def members_in(value: Json) -> int:
    """How many members a value holds, its inner values included."""
    if isinstance(value, list):
        return sum(map(members_in, value))
    if not isinstance(value, (dict, Repeating)):
        return 0
    count = len(value)
    for inner in value.values():
        if type(inner) is not str:
            count += members_in(inner)
    return count


MOST_PROBLEMS = 100  # are told one by one; the rest are counted
MOST_REPEATED = 200  # characters of the file, in one answer
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*(?:'|…)|"(?:[^"\\]|\\.)*(?:"|…)""")


def problem(line: int, rule: str, message: str) -> Problem:
    """What is wrong in this line, 1-based."""
    return Problem(f"line {line}", rule, message)


def unreadable(problems: Sequence[Problem]) -> UnreadableFile:
    """The refusal of a file with these problems, of which there is one at least."""
    told = _capped(problems[:MOST_PROBLEMS])
    message = f"{told[0].path}: {told[0].message}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    return UnreadableFile(message, told)


def _capped(problems: Sequence[Problem]) -> list[Problem]:
    """The problems; where all together would repeat more than 200 characters of the
    file, what is quoted is left out of the rest (decisions 2.10)."""
    told: list[Problem] = []
    left = MOST_REPEATED
    for each in problems:
        repeated = sum(map(len, _QUOTED.findall(each.message)))
        left -= repeated if told else 2 * repeated  # the first is the message too
        message = each.message if left >= 0 else _QUOTED.sub("…", each.message)
        told.append(Problem(each.path, each.rule, message))
    return told


def quoted(name: str) -> str:
    """A name or text of the file as a message may repeat it: printable, cut short."""
    return abbreviate(repr(name))


# "*+" and not "*", which notes a place to go back to at every escape
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING_OR_NAME = re.compile(_STRING + r"(\s*:)?")
_VALUE_BELOW_ITS_NAME = re.compile(r":\s*\n")
_NEXT_LINE = re.compile(r'\n[ \t\r]*("?)')  # and the quote that it begins with


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


def _lines_of_names(text: str) -> list[int]:
    lines = []
    line, seen = 1, 0
    for found in _STRING_OR_NAME.finditer(text):
        if found[1]:
            line += text.count("\n", seen, found.start())
            seen = found.start()
            lines.append(line)
    return lines


MOST_FAULTS = 10 * MOST_PROBLEMS  # of a file
LARGEST = 2**53 - 1  # the integers that every JSON reader can hold (RFC 8259, 6)
_LONG_NUMBER = re.compile(r"\d{16}")
_ESCAPE = re.compile(r"\\(u0000|.)")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class Document:
    """A file's one object, in the course of being read.

    Members are numbered from 0 through the whole file as they stand in it, nested ones
    included. ``first`` is always the number of the first member inside a value, one
    more than that of the member which holds the value.
    """

    def __init__(self, text: str, members: Object, census: Census) -> None:
        self.members = members
        self.lines: Sequence[int] = member_lines(
            text, census.members, has_arrays=census.has_arrays
        )
        self.warnings: list[str] = []
        self._faults: dict[int, tuple[str, str]] = {}

    def fault(self, member: int, rule: str, message: str) -> None:
        """Note what is wrong with a member; the first such note counts.

        Raises UnreadableFile when there are so many that more would help nobody: a
        million of them took 600 MB.
        """
        self._faults.setdefault(member, (rule, message))
        if len(self._faults) >= MOST_FAULTS:
            self.refuse_faults()

    def tell_of_null(self, member: int, name: str) -> None:
        """Warn of a null where a text may stand: its key is named without one."""
        where = f"line {self.lines[member]}"
        self.warnings.append(f"{where}: {quoted(name)} is null, so it has no text")

    def fault_type(self, member: int, name: str, value: Json) -> None:
        """Note a value that should have been a text."""
        message = f"{quoted(name)} has to be a text, not {_kind(value)}"
        self.fault(member, "type", message)

    def refuse_faults(self) -> None:
        """Raises UnreadableFile with a Problem for each fault noted, if any."""
        if self._faults:
            raise unreadable(
                [
                    problem(self.lines[member], *fault)
                    for member, fault in sorted(self._faults.items())
                ]
            )

    def check(self, value: Json, first: int) -> int:
        """Note the faults that no format bears; the number after the last member."""
        if isinstance(value, list):
            for inner in value:
                first = self._check_inner(inner, first)
        elif isinstance(value, (dict, Repeating)):
            seen: set[str] = set()
            for name, inner in value.items():
                self._check_text(first, name)
                if name in seen:
                    message = f"the member {quoted(name)} is given twice"
                    self.fault(first, "duplicate", message)
                seen.add(name)
                first = self._check_inner(inner, first + 1)
        return first

    def _check_inner(self, value: Json, first: int) -> int:
        if isinstance(value, str):
            self._check_text(first - 1, value)
        elif isinstance(value, float) and not isfinite(value):
            self.fault(first - 1, "number", "a number may not be NaN or infinite")
        elif isinstance(value, int) and abs(value) > LARGEST:
            message = f"an integer may not be larger than {LARGEST}"
            self.fault(first - 1, "number", message)
        return self.check(value, first)

    def _check_text(self, member: int, text: str) -> None:
        found = _FORBIDDEN.search(text)
        if found:
            what = "U+0000" if found[0] == "\0" else "a lone surrogate"
            self.fault(member, "character", f"a text may not contain {what}")


def parse(content: bytes) -> Document:
    """The file's object. UnreadableFile when it is not JSON, or something else.

    Faults in its members are only noted, while they are few: ``refuse_faults`` of the
    Document tells them, with those that the format finds.
    """
    text = _decoded(content)
    return _parse_sound(text) or _parse_any(text)


def _parse_sound(text: str) -> Document | None:
    """The object of a file without faults, at twice the speed; None when in doubt."""
    try:
        value = msgspec.json.decode(text)
        if not isinstance(value, dict):
            return None
        census = Census(value)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if _LONG_NUMBER.search(text):
        return None
    escapes = _ESCAPE.findall(text)
    # Every name and every text has two quotes. When that is all the quotes there are,
    # the decoder has dropped none: no name was given twice.
    quotes = text.count('"') - escapes.count('"')
    if quotes != 2 * (census.members + census.texts):
        return None
    return None if "u0000" in escapes else Document(text, value, census)


def _parse_any(text: str) -> Document:
    if not text.strip():
        raise unreadable([problem(1, "syntax", "the file is empty")])
    try:
        value: Json = _DECODER.decode(text)
        if not isinstance(value, (dict, Repeating)):
            problems = [problem(1, "type", "the file has to be one JSON object")]
            raise unreadable(problems)
        document = Document(text, value, Census(value))
    except json.JSONDecodeError as error:
        message = f"{error.msg} (column {error.colno})"
        raise unreadable([problem(error.lineno, "syntax", message)]) from None
    except RecursionError:
        message = f"objects and arrays are nested deeper than {DEEPEST}"
        raise unreadable([problem(1, "nesting", message)]) from None
    document.check(value, 0)
    return document


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems = [problem(line, "encoding", "the file is not UTF-8")]
        raise unreadable(problems) from None


def _object(members: list[tuple[str, Json]]) -> Object:
    found = dict(members)
    return found if len(found) == len(members) else Repeating(members)


def _integer(text: str) -> int | float:
    # more digits are refused by int(), and infinite for float()
    return int(text) if len(text) <= 4300 else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def _kind(value: Json) -> str:
    if isinstance(value, (dict, Repeating)):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, (bool, type(None))):
        return json.dumps(value)
    return "a number"


def encoded(document: Mapping[str, object], indent: int) -> bytes:
    """UTF-8 without escapes that are not needed, members in their order, one newline.

    ``indent`` is the number of spaces a level; 0 writes everything on one line.
    """
    content = msgspec.json.encode(document)
    if indent:
        content = msgspec.json.format(content, indent=indent)
    return content + b"\n"
