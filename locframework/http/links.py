"""Makes addresses in answers absolute.

A service tells the path of a thing below the API's base URL; which host the client
came by is known here only, and kept nowhere: a request could name any. A field of the
type Link is made absolute in every answer that it is in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

from msgspec import UNSET, Meta, inspect, structs

_MARK = "link"

Link = Annotated[str, Meta(extra={_MARK: True}, extra_json_schema={"format": "uri"})]
"""A URL; in Python the path below the base URL, beginning with a slash."""

Linker = Callable[[Any, str], Any]
"""An answer, with the base URL before every path of a Link in it."""


@cache  # each app asks for the types of all operations
def linker_of(type_: Any) -> Linker | None:
    """What makes answers of the type absolute; None when no Link is in it."""
    return _linker(inspect.type_info(type_), ()) if type_ is not None else None


def _linker(info: inspect.Type, within: tuple[type, ...]) -> Linker | None:
    if isinstance(info, inspect.Metadata):
        is_link = _MARK in (info.extra or {})
        return _absolute if is_link else _linker(info.type, within)
    if isinstance(info, inspect.UnionType):
        found = [_linker(each, within) for each in info.types]
        return next((each for each in found if each is not None), None)
    if isinstance(info, (inspect.ListType, inspect.VarTupleType)):
        return _of_items(_linker(info.item_type, within))
    if isinstance(info, inspect.StructType) and info.cls not in within:
        return _of_fields(info, (*within, info.cls))
    return None


def _absolute(value: Any, base_url: str) -> Any:
    is_path = isinstance(value, str) and value.startswith("/")
    return base_url + value if is_path else value


def _of_items(of_item: Linker | None) -> Linker | None:
    if of_item is None:
        return None
    return lambda items, base: [of_item(item, base) for item in items]


def _of_fields(info: inspect.StructType, within: tuple[type, ...]) -> Linker | None:
    linkers = [
        (field.name, linker)
        for field in info.fields
        if (linker := _linker(field.type, within)) is not None
    ]
    if not linkers:
        return None

    def link(record: Any, base_url: str) -> Any:
        linked = {}
        for name, linker in linkers:
            value = getattr(record, name, None)  # None or UNSET may stand for a record
            if value is not None and value is not UNSET:
                found = linker(value, base_url)
                if found is not value:
                    linked[name] = found
        return structs.replace(record, **linked) if linked else record

    return link
