"""Reads JSON strictly: one object, and every fault with its line; and writes it.

Stricter than the standard library: no name with two values, no NaN or Infinity, no
nesting deeper than 64 (decisions 2.10). A text with U+0000 or a lone surrogate, and a
number that not every reader can hold, is left out with a warning.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from math import isinf, isnan, nan
from typing import TypeAlias

import msgspec

from locframework.ports import Faults, TextFile, quoted, unreadable

DEEPEST = 64  # objects and arrays inside one another, the outermost included
LARGEST = 2**53 - 1  # the integers that every JSON reader can hold (RFC 8259, 6)


class Object(dict[str, "Json"]):
    """A JSON object, and the line of each of its properties in their order."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []

    def numbered(self) -> Iterator[tuple[int, str, "Json"]]:
        """The line, name and value of each property."""
        return zip(self.lines, self.keys(), self.values(), strict=True)


class Unreadable(Enum):
    """Stands for a text or number that was left out, with a warning."""

    TEXT = "text"
    NUMBER = "number"


Json: TypeAlias = "str | bool | int | float | list[Json] | Object | Unreadable | None"
_Pairs: TypeAlias = "tuple[tuple[str, _Decoded], ...]"  # an object, as it was decoded
_Decoded: TypeAlias = "str | bool | int | float | list[_Decoded] | _Pairs | None"


# "*+" and not "*", which notes a place to go back to at every escape
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NAME_OR_STRING = re.compile(rf"{STRING}(\s*:(?:\s*{STRING})?)?")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


def is_forbidden(text: str) -> bool:
    """Whether no text may be so: U+0000 and lone surrogates cannot be stored."""
    return _FORBIDDEN.search(text) is not None


class Document(Faults):
    """A file's one object, in the course of being read."""

    def __init__(self, text: str, pairs: _Pairs) -> None:
        super().__init__()
        self._lines = _lines_of_names(text)
        self._has_escapes = "\\u" in text  # else no text can have what is forbidden
        self.members = self._object(pairs, 1)

    def _object(self, pairs: _Pairs, depth: int) -> Object:
        if depth > DEEPEST:
            raise RecursionError
        found = Object()
        for name, decoded in pairs:
            line = next(self._lines)
            value: Json = decoded if type(decoded) is str else None
            if value is None or self._has_escapes:
                value = self._value(line, name, decoded, depth)
                if self._is_forbidden(line, name, name):
                    continue
            if name not in found:
                found.lines.append(line)
                found[name] = value
            elif found[name] == value:
                self.warn(line, f"the member {quoted(name)} is given twice, equally")
            else:
                message = f"the member {quoted(name)} is given twice"
                self.add(line, "duplicate", message)
        return found

    def _value(self, line: int, name: str, value: _Decoded, depth: int) -> Json:
        if isinstance(value, tuple):
            return self._object(value, depth + 1)
        if isinstance(value, list):
            if depth >= DEEPEST:
                raise RecursionError
            return [self._value(line, name, inner, depth + 1) for inner in value]
        if isinstance(value, str):
            unreadable = self._has_escapes and self._is_forbidden(line, name, value)
            return Unreadable.TEXT if unreadable else value
        if isinstance(value, float) and isnan(value):
            self.add(line, "number", "JSON has neither NaN nor Infinity")
        elif (isinstance(value, float) and isinf(value)) or (
            isinstance(value, int) and abs(value) > LARGEST
        ):
            self.warn(line, f"{quoted(name)} is left out: the number is too large")
            return Unreadable.NUMBER
        return value

    def _is_forbidden(self, line: int, name: str, text: str) -> bool:
        found = _FORBIDDEN.search(text)
        if found:
            what = "U+0000" if found[0] == "\0" else "a lone surrogate"
            self.warn(line, f"{quoted(name)} is left out: it contains {what}")
        return found is not None


def _lines_of_names(text: str) -> Iterator[int]:
    line, seen = 1, 0
    for found in _NAME_OR_STRING.finditer(text):
        if found[1]:
            start = found.start()
            line += text.count("\n", seen, start)
            seen = start
            yield line


def parse(content: bytes) -> Document:
    """The file's object. Raises UnreadableFile when it is not JSON, or something else.

    Faults in its members are only noted.
    """
    text = TextFile.of(content).text
    if not text.strip():
        raise unreadable(1, "syntax", "the file is empty")
    try:
        decoded: _Decoded = _DECODER.decode(text)
        if not isinstance(decoded, tuple):
            raise unreadable(1, "type", "the file has to be one JSON object")
        return Document(text, decoded)
    except json.JSONDecodeError as error:
        message = f"{error.msg} (column {error.colno})"
        raise unreadable(error.lineno, "syntax", message) from None
    except RecursionError:
        message = f"objects and arrays are nested deeper than {DEEPEST}"
        raise unreadable(1, "nesting", message) from None


def _integer(text: str) -> int | float:
    # more digits are refused by int(), and infinite for float()
    return int(text) if len(text) <= 4300 else float(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=_integer, parse_constant=lambda _: nan
)


def encoded(document: Mapping[str, object], indent: int) -> bytes:
    """UTF-8 without escapes that are not needed, members in their order, one newline.

    ``indent`` is the number of spaces a level; 0 writes everything on one line.
    """
    content = msgspec.json.encode(document)
    if indent:
        content = msgspec.json.format(content, indent=indent)
    return content + b"\n"
