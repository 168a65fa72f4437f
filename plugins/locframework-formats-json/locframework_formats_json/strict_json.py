"""Reads JSON strictly: one object, and every fault with its line; and writes it.

Stricter than the standard library: no duplicate names, NUL, lone surrogates, NaN,
Infinity, integers beyond 2**53, or nesting deeper than 64 (decisions 2.10).
"""

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TypeAlias

import msgspec

from locframework.ports import Problem, UnreadableFile, abbreviate

DEEPEST = 64  # objects and arrays inside one another, the outermost included
MOST_FAULTS = 1000  # of a file
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


Json: TypeAlias = "str | bool | int | float | list[Json] | Object | None"
_Pairs: TypeAlias = "tuple[tuple[str, _Decoded], ...]"  # an object, as it was decoded
_Decoded: TypeAlias = "str | bool | int | float | list[_Decoded] | _Pairs | None"


def quoted(name: str) -> str:
    """A name or text of the file as a message may repeat it: printable, cut short."""
    return abbreviate(repr(name))


# "*+" and not "*", which notes a place to go back to at every escape
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NAME_OR_STRING = re.compile(rf"{_STRING}(\s*:(?:\s*{_STRING})?)?")
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


class Document:
    """A file's one object, in the course of being read."""

    def __init__(self, text: str, pairs: _Pairs) -> None:
        self.warnings: list[str] = []
        self._faults: list[tuple[int, str, str]] = []
        self._lines = _lines_of_names(text)
        self._has_escapes = "\\u" in text  # else no text can have what is forbidden
        self.members = self._object(pairs, 1)

    def fault(self, line: int, rule: str, message: str) -> None:
        """Note a fault.

        Raises UnreadableFile when there are so many that more would help nobody: a
        million of them took 600 MB.
        """
        self._faults.append((line, rule, message))
        if len(self._faults) >= MOST_FAULTS:
            self.refuse_faults()

    def fault_type(self, line: int, name: str, value: Json) -> None:
        """Note a value that should have been a text."""
        message = f"{quoted(name)} has to be a text, not {_kind(value)}"
        self.fault(line, "type", message)

    def tell_of_null(self, line: int, name: str) -> None:
        """Warn of a null where a text may stand: its key is named without one."""
        where = f"line {line}"
        self.warnings.append(f"{where}: {quoted(name)} is null, so it has no text")

    def refuse_faults(self) -> None:
        """Raises UnreadableFile with a Problem for each fault noted, if any."""
        if self._faults:
            problems = [_problem(*fault) for fault in sorted(self._faults)]
            raise UnreadableFile.of(problems)

    def _object(self, pairs: _Pairs, depth: int) -> Object:
        if depth > DEEPEST:
            raise RecursionError
        found = Object()
        for name, decoded in pairs:
            line = next(self._lines)
            if self._has_escapes:
                text = name + decoded if isinstance(decoded, str) else name
                self._check_text(line, text)
            if name in found:
                message = f"the member {quoted(name)} is given twice"
                self.fault(line, "duplicate", message)
            else:
                found.lines.append(line)
            if isinstance(decoded, str):
                found.setdefault(name, decoded)
            else:
                found.setdefault(name, self._value(line, decoded, depth))
        return found

    def _value(self, line: int, value: _Decoded, depth: int) -> Json:
        if isinstance(value, tuple):
            return self._object(value, depth + 1)
        if isinstance(value, list):
            if depth >= DEEPEST:
                raise RecursionError
            return [self._value(line, inner, depth + 1) for inner in value]
        if isinstance(value, str):
            self._check_text(line, value)
        elif isinstance(value, float) and not isfinite(value):
            self.fault(line, "number", "a number may not be NaN or infinite")
            return None
        elif isinstance(value, int) and abs(value) > LARGEST:
            message = f"an integer may not be larger than {LARGEST}"
            self.fault(line, "number", message)
            return None
        return value

    def _check_text(self, line: int, text: str) -> None:
        found = _FORBIDDEN.search(text)
        if found:
            what = "U+0000" if found[0] == "\0" else "a lone surrogate"
            self.fault(line, "character", f"a text may not contain {what}")


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

    Faults in its members are only noted, while they are few: ``refuse_faults`` of the
    Document tells them, with those that the format finds.
    """
    try:
        text = content.decode("utf-8-sig")
        if not text.strip():
            raise _refusal(1, "syntax", "the file is empty")
        decoded: _Decoded = _DECODER.decode(text)
        if not isinstance(decoded, tuple):
            raise _refusal(1, "type", "the file has to be one JSON object")
        return Document(text, decoded)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refusal(line, "encoding", "the file is not UTF-8") from None
    except json.JSONDecodeError as error:
        message = f"{error.msg} (column {error.colno})"
        raise _refusal(error.lineno, "syntax", message) from None
    except RecursionError:
        message = f"objects and arrays are nested deeper than {DEEPEST}"
        raise _refusal(1, "nesting", message) from None


def _problem(line: int, rule: str, message: str) -> Problem:
    return Problem(f"line {line}", rule, message)


def _refusal(line: int, rule: str, message: str) -> UnreadableFile:
    return UnreadableFile.of([_problem(line, rule, message)])


def _integer(text: str) -> int | float:
    # more digits are refused by int(), and infinite for float()
    return int(text) if len(text) <= 4300 else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=_integer)


def _kind(value: Json) -> str:
    if isinstance(value, dict):
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
