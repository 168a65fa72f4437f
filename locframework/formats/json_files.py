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
    HIDDEN,
    TREE_DEPTH,
    TreeContainer,
    TreeLayout,
    TreeValue,
    is_forbidden,
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
_VALUE = re.compile(rf"{STRING}|[-+.\w]++", re.DOTALL)
_SPACE = " \t\r\n"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_IN_ESCAPES = frozenset('"\\/' + ascii_letters + digits)  # of other characters
_BRACKETS = {True: ("[", "]"), False: ("{", "}")}  # of an array?


class JsonDocument(Faults):
    """A file's one object, in the course of being read."""

    def __init__(self, text: str, decoded: "_Pairs | list[_Decoded]", id_: str) -> None:
        super().__init__()
        self._lines = _lines_of_names(text)
        self._has_escapes = "\\u" in text  # else no text can have what is forbidden
        self.is_array = isinstance(decoded, list)
        if isinstance(decoded, list):
            self.members = self._by_id(decoded, id_)
        else:
            self.members = self._object(decoded, 1)

    def _by_id(self, elements: list[_Decoded], id_: str) -> JsonObject:
        """The objects of an array as members, by a text that each has."""
        found = JsonObject()
        for each in elements:
            value = self._value(1, "", each, 1)
            name = value.get(id_) if isinstance(value, JsonObject) else None
            line = value.lines[0] if isinstance(value, JsonObject) and value else 1
            if isinstance(name, str):
                self._put(found, line, name, value)
            else:
                self.warn(line, f"an element is left out: it has no {id_}")
        return found

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
            self._put(found, line, name, value)
        return found

    def _put(self, found: JsonObject, line: int, name: str, value: Json) -> None:
        if name not in found:
            found.lines.append(line)
            found[name] = value
        elif found[name] == value:
            self.warn(line, f"the member {quoted(name)} is given twice, equally")
        else:
            message = f"the member {quoted(name)} is given twice"
            self.add(line, "duplicate", message)

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


def parse_json(content: bytes, id_: str = "") -> JsonDocument:
    """The file's object. Raises UnreadableFile when it is not JSON, or something else.

    Faults in its members are only noted. With ``id_``, the file may also be an array of
    objects: these are the members then, by the text that each has under this name.
    """
    text = TextFile.of(content).text
    if not text.strip():
        raise unreadable(1, "syntax", "the file is empty")
    try:
        decoded: _Decoded = _DECODER.decode(text)
        if isinstance(decoded, tuple) or (id_ and isinstance(decoded, list)):
            return JsonDocument(text, decoded, id_)
        raise unreadable(1, "type", "the file has to be one JSON object")
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


def encoded_json(document: Mapping[str, object] | list[object], indent: int) -> bytes:
    """UTF-8 without escapes that are not needed, members in their order, one newline.

    ``indent`` is the number of spaces a level; 0 writes everything on one line.
    """
    content = msgspec.json.encode(document)
    if indent:
        content = msgspec.json.format(content, indent=indent)
    return content + b"\n"


class JsonLayout(TreeLayout):
    """A JSON file whose members can be changed."""

    space = re.compile(r"[ \t\r\n]*+")
    opening = re.compile(r"[{[]")
    member = re.compile(rf"({STRING})([ \t\r\n]*+:[ \t\r\n]*+)", re.DOTALL)
    after = re.compile(r"([ \t\r\n]*+)([],}])")
    colon = ": "

    def __init__(self, content: bytes, id_: str = "") -> None:
        """Raises UnreadableFile when this is not one JSON object. With ``id_``, it may
        be an array of objects, as in ``parse_json``."""
        file = TextFile.of(content)
        start = len(file.text) - len(file.text.lstrip(_SPACE))
        if file.text[start : start + 1] not in ("{", "[" if id_ else "{"):
            raise unreadable(1, "type", "the file has to be one JSON object")
        super().__init__(file, start)
        if file.text[self.end :].strip(_SPACE):
            raise self.fault(self.end, "syntax", "more than one object")
        if self.root.is_array:
            self.root.is_array = False
            for item in self.root.items:
                found = item.value
                each = found.child(id_) if isinstance(found, TreeContainer) else None
                name = each.value if each else None
                item.name = (isinstance(name, TreeValue) and name.text) or HIDDEN
        self._learn_escapes()

    def name_in(self, spelled: str) -> str:
        """The name that is spelled so."""
        return _decoded(spelled)

    def value_at(self, at: int) -> tuple[TreeValue, int]:
        """A text, a number, or a word."""
        found = _VALUE.match(self.text, at)
        if found is None:
            raise self.fault(at, "syntax", "no JSON")
        raw = found[0]
        text = _decoded(raw) if raw[0] == '"' else None
        return TreeValue(raw, text), found.end()

    def finish(self, container: TreeContainer) -> None:
        """The bracket tells whether it is an array."""
        is_array = container.is_array = container.brackets[0] == "["
        is_wrong = any(bool(item.head) is is_array for item in container.items)
        if is_wrong or container.ends_separated:
            raise unreadable(1, "syntax", "no JSON")

    def _learn_escapes(self) -> None:
        """Learn which characters the file escapes, and how."""
        text = self.text
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
        """What stands before the value of a new member, and nothing in an array."""
        return "" if container.brackets[0] == "[" else super().head(container, name)

    def container(self, lead: str, *, is_array: bool) -> TreeContainer:
        """A new object or array."""
        return TreeContainer(lead, _BRACKETS[is_array], is_array=is_array)


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    text: str = json.loads(raw, strict=False)
    return text
