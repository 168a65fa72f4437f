"""Says in a user's words what msgspec found wrong with a value: one place for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import inspect

VALUES_MOST = 20  # of a choice that a message lists

_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "a time such as 2026-11-21T08:45:29Z",
}
_UNITS = {"str": "characters", "array": "items", "object": "members", "bytes": "bytes"}
_COMPARED = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_STEP = re.compile(r"\.([^.\[\]]+)|\[[^\]]*\]")


def sentence(message: str, type_: Any, place: str) -> str:
    """What is wrong, beginning with a verb: "must be text, not null".

    ``message`` is msgspec's, without the place; ``place``, such as ``.tags[3]``, is
    where in a value of ``type_`` it is. Nothing of the value itself is repeated.
    """
    for pattern, say in _SAYINGS:
        if found := pattern.fullmatch(message):
            return say(found, type_, place)
    return message


def _kind(found: re.Match[str], *_: object) -> str:
    wanted = [_KINDS.get(name, name) for name in found[1].split(" | ")]
    got = "a number" if found[2] == "int" else _KINDS.get(found[2], "that")
    last = wanted.pop()
    either = f"{', '.join(wanted)} or {last}" if wanted else last
    if found[2] == "float" and "int" in found[1]:
        return f"must be {either}"  # 1.5 and 1e300 are numbers, and not whole ones
    return f"must be {either}, not {got}"


def _length(found: re.Match[str], *_: object) -> str:
    kind, sign, number = found.groups()
    unit = _UNITS[kind]
    if number == "1":
        unit = unit.removesuffix("s")
    return f"must have {_COMPARED.get(sign, 'just')} {number} {unit}"


def _range(found: re.Match[str], *_: object) -> str:
    return f"must be {_COMPARED[found[1]]} {found[2]}"


def _spelling(_: object, type_: Any, place: str) -> str:
    """A pattern is told by the description of its type."""
    said = _described(_type_at(type_, place))
    if said is None:
        return "is not written as it must be"
    return f"must be {said[:1].lower()}{said[1:]}"


def _choice(_: object, type_: Any, place: str) -> str:
    values = _values(_type_at(type_, place))
    if not 1 <= len(values) <= VALUES_MOST:
        return "is not one of the allowed values"
    return f"must be one of {', '.join(values)}"


_Saying = Callable[[re.Match[str], Any, str], str]
_SAYINGS: tuple[tuple[re.Pattern[str], _Saying], ...] = (
    (re.compile(r"Expected `([^`]+)`, got `([^`]+)`"), _kind),
    (
        re.compile(r"Expected `(str|array|object|bytes)` of length (\S+) (\d+)"),
        _length,
    ),
    (re.compile(r"Expected `(?:int|float)` ([<>]=?) (\S+)"), _range),
    (re.compile(r"(?s)Expected `str` matching.*"), _spelling),
    (re.compile(r"(?s)Invalid enum value.*"), _choice),
    (re.compile(r"(?:Integer|Number).* out of range"), lambda *_: "is too large"),
)


def _type_at(type_: Any, place: str) -> inspect.Type:
    """The type of what is at the place; AnyType where that cannot be told."""
    here = inspect.type_info(type_)
    for step in _STEP.finditer(place):
        here = _below(here, step[1])
    return here


def _below(type_: inspect.Type, name: str | None) -> inspect.Type:
    for option in _options(type_):
        if name is not None and isinstance(option, inspect.StructType):
            for field in option.fields:
                if field.encode_name == name:
                    return field.type
        elif name is None and isinstance(option, inspect.ListType):
            return option.item_type
        elif name is None and isinstance(option, inspect.DictType):
            return option.value_type
    return inspect.AnyType()


def _options(type_: inspect.Type) -> list[inspect.Type]:
    """What a value may be, without what is only told of it."""
    if isinstance(type_, inspect.Metadata):
        return _options(type_.type)
    if isinstance(type_, inspect.UnionType):
        return [each for option in type_.types for each in _options(option)]
    return [type_]


def _values(type_: inspect.Type) -> list[str]:
    return [
        str(value)
        for option in _options(type_)
        if isinstance(option, inspect.LiteralType)
        for value in option.values
    ]


def _described(type_: inspect.Type) -> str | None:
    if isinstance(type_, inspect.UnionType):
        return next((d for option in type_.types if (d := _described(option))), None)
    if isinstance(type_, inspect.Metadata):
        said = (type_.extra_json_schema or {}).get("description")
        return str(said) if said else _described(type_.type)
    return None
