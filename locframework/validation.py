"""Checks a record that a program has made by the same rules as one from HTTP."""

import io
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Struct, inspect, structs

from .errors import Problem, ValidationFailed, abbreviate, truncate

PROBLEMS_LIMIT = 20
DEPTH_LIMIT = 64  # decisions 2.10
CHARACTER = "holds U+0000 or a lone surrogate"

_LIKENESS = 0.55  # of names that one may be taken for; difflib's ratio
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_AS_THEY_ARE = (bytes, bytearray, date, datetime, time)  # a field of text is none
_MESSAGE = re.compile(r"(?s)(.*?)(?: - at (?:`key` in )?`(?:key in )?\$([^`]*)`)?\Z")
_MISSING = re.compile(r"(?s)Object missing required field `([^`]*)`\Z")
_RULES = (  # how messages of msgspec begin
    ("Expected `(str|array|object|bytes)` of length", "length"),
    ("Expected `(int|float)` ([<>]|that's)", "range"),
    ("(Integer|Number).* out of range", "range"),
    ("Expected `str` matching", "pattern"),
    ("Invalid enum value", "enum"),
    ("Expected `", "type"),
)


def check_record(record: Struct, root: str = "$") -> None:
    """Raises ValidationFailed, with a Problem each, for what no request may say.

    Services ask it of every record that they are given: its constructor checks
    nothing. ``root`` is "query" or "form" for what HTTP reads from there. What HTTP
    has decoded passes always; asking costs 2 µs for a key, 0.4 ms for 500.
    """
    try:
        value = msgspec.to_builtins(record, builtin_types=_AS_THEY_ARE)
        msgspec.convert(value, type(record))
    except msgspec.ValidationError as error:
        raise refusal(error, value, type(record), root) from None
    except RecursionError:
        message = f"nested deeper than {DEPTH_LIMIT} levels"
        raise ValidationFailed.at(root, "depth", message) from None
    except (TypeError, NotImplementedError, UnicodeEncodeError) as error:
        raise ValidationFailed.at(root, "type", truncate(str(error))) from None
    if _may_hold_forbidden(value) and (problems := text_problems(value, root)):
        raise ValidationFailed.of(problems)


def plain_json(value: object) -> str:
    """Return JSON text, the same for equal values. Raises ValueError for what is not
    JSON as Python reads it: dict, list, str, int, float, bool, None."""
    try:
        is_plain = msgspec.json.decode(msgspec.json.encode(value)) == value
        text = msgspec.json.encode(value, order="deterministic") if is_plain else b""
    except (TypeError, RecursionError, UnicodeEncodeError) as error:
        raise ValueError(f"is not JSON: {truncate(str(error))}") from None
    except msgspec.DecodeError:  # an integer of thousands of digits
        raise ValueError("has a number that is too large") from None
    if not is_plain:  # msgspec turns NaN into null, and dates and tuples into others
        raise ValueError("must be plain JSON: dict, list, str, int, float, bool, None")
    if problems := text_problems(value):
        raise ValueError(problems[0].message)
    return text.decode()


def refusal(
    error: msgspec.ValidationError,
    value: object,
    type_: type[Struct],
    root: str,
    unknown: Iterable[Problem] = (),
    *,
    strict: bool = True,
) -> ValidationFailed:
    """Return the error for a ``value`` that is no ``type_``: what is wrong with
    ``unknown`` fields, and the first fault of every other. ``root`` is "$", "query" or
    "form"; ``strict``: as of ``msgspec.convert``."""
    problems = [*unknown, *_in_fields(value, type_, root, strict)]
    return ValidationFailed.of(problems or [_problem(error, root)])


def _in_fields(
    value: object, type_: type[Struct], root: str, strict: bool
) -> list[Problem]:
    if not isinstance(value, dict):
        return []
    found = []
    for field in structs.fields(type_):
        path = f"{root}.{field.encode_name}"
        if field.encode_name in value:
            try:
                msgspec.convert(value[field.encode_name], field.type, strict=strict)
            except msgspec.ValidationError as error:
                found.append(_problem(error, path, field.type))
        elif field.required:
            found.append(Problem(path, "required", "is required"))
    return found


def unknown_names(
    given: Iterable[str], known: Collection[str], root: str
) -> Iterator[Problem]:
    """Yield a problem for each name that is not known, with the nearest known one.
    ``root`` is the path above the names."""
    for name in given:
        if name not in known:
            said = f"unknown field {abbreviate(name)!r}{suggestion(name, known)}"
            yield Problem(f"{root}.{truncate(name)}", "unknown", truncate(said))


def suggestion(name: str, known: Collection[str]) -> str:
    """Return "; did you mean …?" with the ``nearest`` known name, or all of them if
    none is near; "" if there are none."""
    if near := nearest(name, known):
        return f"; did you mean {near!r}?"
    verb = "is" if len(known) == 1 else "are"
    return f"; there {verb} {', '.join(sorted(known))}" if known else ""


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the shortest known name that begins so, or else the one that is most
    alike; None if none is near."""
    plain = {each.replace("_", "").lower(): each for each in known}
    asked = truncate(name).replace("_", "").lower()  # a long name is slow to compare
    longer = [each for each in plain if len(asked) > 2 and each.startswith(asked)]
    near = sorted(longer, key=len) or get_close_matches(asked, plain, 1, _LIKENESS)
    return plain[near[0]] if near else None


Members = dict[str, Any] | list[Any] | None
"""What values of a type may have: the names of a struct's members with the Members of
each; of a list or mapping, the Members of every item; None: nothing that is checked."""


def members_of(type_: inspect.Type) -> Members:
    """Return which members a type knows, at any depth."""
    if isinstance(type_, inspect.StructType):
        return {each.encode_name: members_of(each.type) for each in type_.fields}
    if isinstance(type_, inspect.Metadata):
        return members_of(type_.type)
    if isinstance(type_, inspect.UnionType):
        each = [members_of(one) for one in type_.types]
        return next((one for one in each if one is not None), None)
    if isinstance(type_, inspect.DictType):
        below = members_of(type_.value_type)
    elif isinstance(type_, inspect.ListType | inspect.VarTupleType):
        below = members_of(type_.item_type)
    else:
        return None
    return None if below is None else [below]


def unknown_members(
    value: object, known: Members, path: str = "$"
) -> Iterator[Problem]:
    """Yield a problem for each member, at any depth, that is not known. To suggest a
    name is slow: take no more than are shown."""
    if isinstance(known, dict) and isinstance(value, dict):
        yield from unknown_names(value, known, path)
        for name, below in known.items():
            if below is not None and name in value:
                yield from unknown_members(value[name], below, f"{path}.{name}")
    elif isinstance(known, list) and isinstance(value, dict):
        for name, item in value.items():
            yield from unknown_members(item, known[0], f"{path}.{abbreviate(name)}")
    elif isinstance(known, list) and isinstance(value, list):
        for at, item in enumerate(value):
            yield from unknown_members(item, known[0], f"{path}[{at}]")


def _problem(
    error: msgspec.ValidationError, root: str, type_: object = None
) -> Problem:
    """Return msgspec's message, with the path that it ends with. ``type_``: of a field,
    whose words are listed if it takes some words only."""
    found = _MESSAGE.match(str(error))
    assert found is not None
    message, path = found[1], root + (found[2] or "")
    if missing := _MISSING.match(message):
        return Problem(f"{path}.{missing[1]}", "required", "is required")
    rule = next((name for begin, name in _RULES if re.match(begin, message)), "invalid")
    if rule == "enum":  # msgspec repeats the value, however long
        words = _words_of(inspect.type_info(type_))
        first = ", ".join(words[:-1])
        among = f"one of {first} or {words[-1]}" if first else "".join(words)
        message = f"must be {among}" if words else "Invalid enum value"
    return Problem(path, rule, truncate(message))


def _words_of(type_: inspect.Type) -> list[str]:
    if isinstance(type_, inspect.LiteralType):
        return [str(each) for each in type_.values]
    if isinstance(type_, inspect.Metadata):
        return _words_of(type_.type)
    if isinstance(type_, inspect.ListType | inspect.VarTupleType):
        return _words_of(type_.item_type)
    if isinstance(type_, inspect.UnionType):
        return [word for each in type_.types for word in _words_of(each)]
    return []


def given_fields(changes: Struct) -> dict[str, object]:
    """Return the fields that a PATCH body sets, to pass to ``replace``."""
    fields = {name: getattr(changes, name) for name in changes.__struct_fields__}
    return {name: value for name, value in fields.items() if value is not UNSET}


def check_text(text: str, path: str) -> None:
    """Raises ValidationFailed for U+0000 or a lone surrogate, in a text that is not
    part of a record."""
    if problems := text_problems(text, path):
        raise ValidationFailed.of(problems)


def file_of(content: bytes | BinaryIO) -> BinaryIO:
    """Bytes, or a file opened for reading bytes, as a file."""
    if isinstance(content, bytes | bytearray | memoryview):
        return io.BytesIO(content)
    return content


def forbidden(text: str) -> bool:
    """Whether a text holds U+0000 or a lone surrogate, which no field may."""
    return _FORBIDDEN.search(text) is not None


def _may_hold_forbidden(value: object) -> bool:
    """Never False for a value that does; it takes a tenth of looking at each text."""
    try:
        return rb"\u0000" in msgspec.json.encode(value)
    except UnicodeEncodeError:
        return True


def text_problems(value: object, path: str = "$", depth: int = 0) -> list[Problem]:
    """Where a value of plain Python types holds U+0000 or a lone surrogate. The first
    fault below each member; names of members are texts as well."""
    if isinstance(value, str):
        return [Problem(path, "character", CHARACTER)] if forbidden(value) else []
    if depth > DEPTH_LIMIT:
        message = f"nested deeper than {DEPTH_LIMIT} levels"
        return [Problem(path, "depth", message)]
    if isinstance(value, dict):
        if any(forbidden(name) for name in value):
            return [Problem(path, "character", CHARACTER)]
        members = [(f".{abbreviate(name)}", member) for name, member in value.items()]
    elif isinstance(value, list | tuple):  # a program may give the one for the other
        members = [(f"[{index}]", item) for index, item in enumerate(value)]
    else:
        return []
    found = []
    for step, member in members:
        found += text_problems(member, path + step, depth + 1)
    return found
