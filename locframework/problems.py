"""Turns what msgspec says of a value into Problems: all faults, not just the first."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct, structs

from locframework.errors import Problem, ValidationFailed, truncate
from locframework.member_names import place_with_names
from locframework.wording import sentence

PROBLEMS_MOST = 20

_PLACE = re.compile(r"(?s)(.*) - at (?:`key` in )?`(?:\$|key in \$)([^`]*)`\Z")
_MISSING = re.compile(r"(?s)Object missing required field `([^`]*)`\Z")
_RULES = (
    (re.compile(r"Expected `(?:str|array|object|bytes)` of length"), "length"),
    (re.compile(r"Expected `(?:int|float)` (?:[<>]|that's)"), "range"),
    (re.compile(r"Expected `str` matching"), "pattern"),
    (re.compile(r"Invalid enum value"), "enum"),
    (re.compile(r"(?:Integer|Number).* out of range"), "range"),
    (re.compile(r"Expected `"), "type"),
)


def refusal(
    error: msgspec.ValidationError, value: object, type_: type[Struct], root: str
) -> ValidationFailed:
    """The 400 for a ``value`` that is no ``type_``; ``root`` is "$" or "query"."""
    problems = _in_fields(value, type_, root) or [
        _problem(str(error), value, type_, root)
    ]
    return refusal_of(problems)


def refusal_of(problems: list[Problem]) -> ValidationFailed:
    """The 400 that lists ``problems``, of which there is at least one."""
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ValidationFailed(
        truncate(f"{first.path}: {first.message}{more}"), problems[:PROBLEMS_MOST]
    )


def _in_fields(value: object, type_: type[Struct], root: str) -> list[Problem]:
    """The first fault of every field; none when the struct as a whole is at fault."""
    if not isinstance(value, dict):
        return []
    found = []
    for field in structs.fields(type_):
        path = f"{root}.{field.encode_name}"
        if field.encode_name not in value:
            if field.required:
                found.append(Problem(path, "required", "is required"))
        elif problem := _fault(value[field.encode_name], field.type, path):
            found.append(problem)
    if type_.__struct_config__.forbid_unknown_fields:
        found += [
            Problem(
                f"{root}.{truncate(name)}", "unknown", "is not a member of this body"
            )
            for name in value.keys() - {*type_.__struct_encode_fields__}
        ]
    return found


def _fault(value: object, type_: Any, path: str) -> Problem | None:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        return _problem(str(error), value, type_, path)
    return None


def _problem(text: str, value: object, type_: Any, root: str) -> Problem:
    placed = _PLACE.match(text)
    message, place = (placed[1], placed[2]) if placed else (text, "")
    path = root + place_with_names(place, value, type_)
    if missing := _MISSING.match(message):
        return Problem(f"{path}.{missing[1]}", "required", "is required")
    rule = next((rule for begin, rule in _RULES if begin.match(message)), "invalid")
    return Problem(path, rule, truncate(sentence(message, type_, place)))
