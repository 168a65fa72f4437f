"""Reads JSON strictly: one object, and every fault with its line; changes single
members of it, and writes it.

Stricter than the standard library: no name with two values, no NaN or Infinity, no
nesting deeper than 64 (decisions 2.10). A text with U+0000 or a lone surrogate, and a
number that not every reader can hold, is left out with a warning.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from math import isinf, isnan, nan
from string import ascii_letters, digits
from typing import TypeAlias

import msgspec

from .text_files import Faults, TextFile, quoted, unreadable
from .tree_files import (
    TREE_DEPTH,
    TreeContainer,
    TreeItem,
    TreeLayout,
    TreeValue,
    is_forbidden,
    last_line,
)

LARGEST = 2**53 - 1  # the integers that every JSON reader can hold (RFC 8259, 6)


class JsonObject(dict[str, "Json"]):
    """A JSON object, and the line of each of its properties in their order."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []

    def numbered(self) -> Iterator[tuple[int, str, "Json"]]:
        """The line, name and value of each property."""
        return zip(self.lines, self.keys(), self.values(), strict=True)


class JsonUnreadable(Enum):
    """Stands for a text or number that was left out, with a warning."""

    TEXT = "text"
    NUMBER = "number"


Json: TypeAlias = (
    "str | bool | int | float | list[Json] | JsonObject | JsonUnreadable | None"
)
_Pairs: TypeAlias = "tuple[tuple[str, _Decoded], ...]"  # an object, as it was decoded
_Decoded: TypeAlias = "str | bool | int | float | list[_Decoded] | _Pairs | None"


# "*+" and not "*", which notes a place to go back to at every escape
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NAME_OR_STRING = re.compile(rf"{STRING}(\s*:(?:\s*{STRING})?)?")
_SPACE = re.compile(r"[ \t\r\n]*+")
_MEMBER = re.compile(rf"([ \t\r\n]*+)({STRING})([ \t\r\n]*+:[ \t\r\n]*+)", re.DOTALL)
_TEXT = re.compile(STRING, re.DOTALL)
_SCALAR = re.compile(r"[-+.\w]++")
_AFTER = re.compile(r"([ \t\r\n]*+)([],}])")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_IN_ESCAPES = frozenset('"\\/' + ascii_letters + digits)  # of other characters
_BRACKETS = {True: ("[", "]"), False: ("{", "}")}  # of an array?


class JsonDocument(Faults):
    """A file's one object, in the course of being read."""

    def __init__(self, text: str, pairs: _Pairs) -> None:
        super().__init__()
        self._lines = _lines_of_names(text)
        self._has_escapes = "\\u" in text  # else no text can have what is forbidden
        self.members = self._object(pairs, 1)

    def _object(self, pairs: _Pairs, depth: int) -> JsonObject:
        if depth > TREE_DEPTH:
            raise RecursionError
        found = JsonObject()
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
            if depth >= TREE_DEPTH:
                raise RecursionError
            return [self._value(line, name, inner, depth + 1) for inner in value]
        if isinstance(value, str):
            unreadable = self._has_escapes and self._is_forbidden(line, name, value)
            return JsonUnreadable.TEXT if unreadable else value
        if isinstance(value, float) and isnan(value):
            self.add(line, "number", "JSON has neither NaN nor Infinity")
        elif (isinstance(value, float) and isinf(value)) or (
            isinstance(value, int) and abs(value) > LARGEST
        ):
            self.warn(line, f"{quoted(name)} is left out: the number is too large")
            return JsonUnreadable.NUMBER
        return value

    def _is_forbidden(self, line: int, name: str, text: str) -> bool:
        found = is_forbidden(text)
        if found:
            what = "U+0000" if "\0" in text else "a lone surrogate"
            self.warn(line, f"{quoted(name)} is left out: it contains {what}")
        return found


def _lines_of_names(text: str) -> Iterator[int]:
    line, seen = 1, 0
    for found in _NAME_OR_STRING.finditer(text):
        if found[1]:
            start = found.start()
            line += text.count("\n", seen, start)
            seen = start
            yield line


def parse_json(content: bytes) -> JsonDocument:
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
        return JsonDocument(text, decoded)
    except json.JSONDecodeError as error:
        message = f"{error.msg} (column {error.colno})"
        raise unreadable(error.lineno, "syntax", message) from None
    except RecursionError:
        message = f"objects and arrays are nested deeper than {TREE_DEPTH}"
        raise unreadable(1, "nesting", message) from None


def _integer(text: str) -> int | float:
    # more digits are refused by int(), and infinite for float()
    return int(text) if len(text) <= 4300 else float(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=_integer, parse_constant=lambda _: nan
)


def encoded_json(document: Mapping[str, object], indent: int) -> bytes:
    """UTF-8 without escapes that are not needed, members in their order, one newline.

    ``indent`` is the number of spaces a level; 0 writes everything on one line.
    """
    content = msgspec.json.encode(document)
    if indent:
        content = msgspec.json.format(content, indent=indent)
    return content + b"\n"


class JsonLayout(TreeLayout):
    """A JSON file whose members can be changed. Linear in its size."""

    def __init__(self, content: bytes) -> None:
        """Raises ValueError or UnreadableFile when this is not one JSON object."""
        file = TextFile.of(content)
        self._text = text = file.text
        start = self._match(_SPACE, 0).end()
        if text[start : start + 1] != "{":
            raise ValueError("no object")
        member = _MEMBER.match(text, start + 1)
        line = last_line(member[1]) if member else ""
        newline, unit = line.rstrip(" \t"), line.lstrip("\r\n")
        self._colon = member[3] if member else ": "
        root, end = self._scan(start, newline, 1)
        assert isinstance(root, TreeContainer)
        if text[end:].strip(" \t\r\n"):
            raise ValueError("more than one object")
        gap = " " if self._colon.endswith(" ") else ""
        super().__init__(file, root, (text[:start], text[end:]), unit, gap)
        self._learn_escapes()

    def _match(self, pattern: re.Pattern[str], at: int) -> re.Match[str]:
        found = pattern.match(self._text, at)
        if found is None:
            raise ValueError(f"no JSON at {at}")
        return found

    def _scan(
        self, at: int, lead: str, depth: int
    ) -> tuple[TreeValue | TreeContainer, int]:
        first = self._text[at : at + 1]
        if first == '"':
            raw = self._match(_TEXT, at)[0]
            return TreeValue(raw, _decoded(raw)), at + len(raw)
        if first not in ("{", "["):
            raw = self._match(_SCALAR, at)[0]
            return TreeValue(raw), at + len(raw)
        if depth > TREE_DEPTH:
            raise ValueError(f"deeper than {TREE_DEPTH}")
        node = self.container(last_line(lead), is_array=first == "[")
        close = node.brackets[1]
        at += 1
        start = self._match(_SPACE, at).end()
        if self._text[start : start + 1] == close:
            node.final = self._text[at:start]
            return node, start + 1
        while True:
            if node.is_array:
                found = self._match(_SPACE, at)
                lead, name, head = found[0], "", ""
            else:
                found = self._match(_MEMBER, at)
                lead, name, head = found[1], _decoded(found[2]), found[2] + found[3]
            value, end = self._scan(found.end(), lead, depth + 1)
            item = TreeItem(lead, name, head, value)
            node.items.append(item)
            space, sign = (after := self._match(_AFTER, end)).groups()
            at = after.end()
            if sign == close:
                node.final = space
                return node, at
            if sign != ",":
                raise ValueError(f"no JSON at {end}")
            item.tail = space

    def _learn_escapes(self) -> None:
        """Learn which characters the file escapes, and how."""
        text = self._text
        units: set[str] = set()
        slashes = upper = lower = 0
        for code, sign in _ESCAPE.findall(text) if "\\" in text else ():
            if code:
                units.add(chr(int(code, 16)))
                upper += code != code.lower()
                lower += code != code.upper()
            slashes += sign == "/"
        self._is_upper = upper > lower
        raw = set(text)
        if text.isascii() and any(unit > "\x7f" for unit in units):
            pattern = "[^\x00-\x7f]"
        else:
            pattern = "(?!)"
        if (
            any("\ud800" <= unit <= "\udbff" for unit in units)
            and max(raw) < "\U00010000"
        ):
            pattern += "|[\U00010000-\U0010ffff]"
        signs = [sign for sign in sorted(units - raw) if sign not in _IN_ESCAPES]
        escaped = "".join(map(re.escape, signs))
        pattern += f"|[{escaped}]" if escaped else ""
        if slashes * 2 > text.count("/"):
            pattern += "|/"
        self._escaped = re.compile(pattern)

    def spelled(self, value: object, old: str = "") -> str:
        """The value in JSON; a text with the escapes that the file uses."""
        raw = json.dumps(value, ensure_ascii=False)
        return self._escaped.sub(self._escape, raw) if isinstance(value, str) else raw

    def _escape(self, found: re.Match[str]) -> str:
        sign = found[0]
        if sign == "/":
            return "\\/"
        units = sign.encode("utf-16-be").hex()
        units = units.upper() if self._is_upper else units
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    def head(self, container: TreeContainer, name: str) -> str:
        """The name, and the colon that other members have."""
        colon = self._colon
        if container.items and (found := _TEXT.match(container.items[0].head)):
            colon = found.string[found.end() :]
        return self.spelled(name) + colon

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        """A new object or array."""
        return TreeContainer(lead, _BRACKETS[is_array], is_array=is_array)


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    text: str = json.loads(raw, strict=False)
    return text
