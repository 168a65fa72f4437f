"""Reads JSON strictly: one object, and every fault with its line.

Stricter than the standard library: no duplicate members, NUL, lone surrogates, NaN,
Infinity, or nesting deeper than 64 (decisions 2.10).
"""

import json
import re
from collections.abc import Sequence

import msgspec

from locframework.ports import UnreadableFile

from .json_value import (
    DEEPEST,
    Census,
    Json,
    Object,
    Repeating,
    TooDeep,
    Unkept,
    is_kept,
)
from .lines import line_of_depth, member_lines
from .problems import MOST_PROBLEMS, problem, quoted, unreadable

MOST_FAULTS = 10 * MOST_PROBLEMS  # of a file
LONGEST_NUMBER = 100  # digits beyond that cost time and mean nothing
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
        elif isinstance(value, Unkept):
            message = f"{quoted(value.text)} is not a number that can be kept"
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
    except (msgspec.MsgspecError, RecursionError, TooDeep):
        return None
    escapes = _ESCAPE.findall(text)
    # Every name and every text has two quotes. When that is all the quotes there are,
    # the decoder has dropped none: no name was given twice.
    quotes = text.count('"') - escapes.count('"')
    if quotes != 2 * (census.members + census.texts):
        return None
    if census.has_unkept or "u0000" in escapes:
        return None
    return Document(text, value, census)


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
    except (RecursionError, TooDeep) as error:
        raise _nested_too_deep(text) from error
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


def _number(text: str) -> int | float | Unkept:
    if len(text) > LONGEST_NUMBER:
        return Unkept(text)
    value = float(text) if set(text) & set(".eE") else int(text)
    return value if is_kept(value) else Unkept(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_number,
    parse_float=_number,
    parse_constant=Unkept,
)


def _nested_too_deep(text: str) -> UnreadableFile:
    line = line_of_depth(text, DEEPEST)
    message = f"objects and arrays are nested deeper than {DEEPEST}"
    return unreadable([problem(line, "nesting", message)])


def _kind(value: Json) -> str:
    if isinstance(value, (dict, Repeating)):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, (bool, type(None))):
        return json.dumps(value)
    return "a number"
