"""Writes responses, with entity tags (RFC 9110)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import msgspec
from falcon import Response, code_to_http_status
from msgspec import UNSET, Meta, inspect, structs

from locframework.errors import (
    LocError,
    RateLimited,
    Unauthorized,
    Unavailable,
    truncate,
)

from .records import Accepted, Raw

ETAG_LENGTH = 32  # hex digits

_ANY = "*"
_TAG = r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"'
_ELEMENT = re.compile(rf"[ \t]*(?:{_TAG}[ \t]*)?(?:,|\Z)")  # of a list; may be empty


def etag_of(content: bytes) -> str:
    """Return the strong ETag of a representation."""
    return f'"{hashlib.sha256(content).hexdigest()[:ETAG_LENGTH]}"'


def if_none_match_matches(header: str | None, etag: str) -> bool:
    """Return whether ``If-None-Match`` names ``etag``, so that the response is 304.

    Accepts ``*``, lists and weak tags; the comparison is weak. A malformed list
    matches nothing.
    """
    if header is None:
        return False
    if header == etag:  # the common case
        return True
    wanted = etag.strip('"')
    return header.strip() == _ANY or any(tag == wanted for _, tag in _tags(header))


def if_match_matches(header: str, etag: str) -> bool:
    """Return whether ``If-Match`` allows a write to the state with this ``etag``.

    Accepts ``*`` and lists. Weak tags and malformed lists never match.
    """
    return header.strip() == _ANY or ("", etag.strip('"')) in _tags(header)


def _tags(header: str) -> list[tuple[str, str]]:
    """Return (``W/`` or "", tag) for each tag of a list; [] for a malformed list."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(header):
        element = _ELEMENT.match(header, at)
        if element is None:
            return []
        weak, tag = element.groups()
        if tag is not None:
            found.append((weak or "", tag))
        at = element.end()
    return found


_MARK = "link"

Link = Annotated[str, Meta(extra={_MARK: True}, extra_json_schema={"format": "uri"})]
"""A URL; in Python the path below the base URL, beginning with a slash."""

UrlResolver = Callable[[Any, str], Any]
"""An answer, with the base URL before every path of a Link in it."""


@cache  # each app asks for the types of all operations
def url_resolver_of(type_: Any) -> UrlResolver | None:
    """What makes answers of the type absolute; None when no Link is in it."""
    return _linker(inspect.type_info(type_), ()) if type_ is not None else None


def _linker(info: inspect.Type, within: tuple[type, ...]) -> UrlResolver | None:
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


def _of_items(of_item: UrlResolver | None) -> UrlResolver | None:
    if of_item is None:
        return None
    return lambda items, base: [of_item(item, base) for item in items]


def _of_fields(
    info: inspect.StructType, within: tuple[type, ...]
) -> UrlResolver | None:
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


def wrapping(
    call: Callable[..., Any], wrapper: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Return ``call`` with its answer in ``wrapper``, unless that is a 202."""

    def wrapped(**given: Any) -> Any:
        answer = call(**given)
        return answer if isinstance(answer, Accepted) else wrapper(answer)

    return wrapped


JSON = "application/json"
NO_STORE = "no-store"  # answers are one caller's, and a secret is shown once
RETRY_AFTER_ACCEPTED = "2"  # seconds; decisions 2.1.1
CONTENT_NOT_FOUND = b'{"error":"not_found"}'  # service.md, Errors
CONTENT_NOT_FOUND_CACHE = "public, max-age=60"
ANY_ORIGIN = "*"

_BEGIN, _END = b'{"success":true,"data":', b"}"
_encoder = msgspec.json.Encoder()


def encoded(data: object) -> bytes:
    """``data`` as it stands in an answer; ETags are made of it."""
    return _encoder.encode(data)


def write_data(response: Response, data: object, status: str) -> None:
    """``{"success": true, "data": …}``."""
    # in one go: to put the envelope around it later copies the whole answer
    _write_json(response, _encoder.encode({"success": True, "data": data}), status)


def write_tagged(
    response: Response, data: object, status: str, if_none_match: str | None
) -> None:
    """The same with its ETag; 304 without a body when ``If-None-Match`` names it."""
    content = _encoder.encode(data)
    etag = etag_of(content)
    response.set_header("ETag", etag)
    if if_none_match is not None and if_none_match_matches(if_none_match, etag):
        response.status = "304 Not Modified"
        response.set_header("Cache-Control", NO_STORE)
    else:
        _write_json(response, _BEGIN + content + _END, status)


def write_accepted(response: Response, answer: Accepted[object], base_url: str) -> None:
    """202 with where to look and when."""
    write_data(response, answer.data, "202 Accepted")
    location = answer.location
    if location.startswith("/"):
        location = base_url + location
    response.set_header("Location", location)
    response.set_header("Retry-After", RETRY_AFTER_ACCEPTED)


def write_stored(
    response: Response, status: int, location: str | None, content: str
) -> None:
    """An answer of ``write_data`` or ``write_accepted`` that was kept as text."""
    response.status = code_to_http_status(status)
    response.content_type = JSON
    response.set_header("Cache-Control", NO_STORE)
    response.data = content.encode()
    if location is not None:
        response.set_header("Location", location)
        response.set_header("Retry-After", RETRY_AFTER_ACCEPTED)


def write_raw(response: Response, answer: Raw) -> None:
    """Exactly what was asked for; kept by nobody where it does not say how long."""
    response.status = code_to_http_status(answer.status)
    response.set_headers({"Cache-Control": NO_STORE, **answer.headers})
    if answer.content_type is not None:
        response.content_type = answer.content_type
    if answer.file is not None:
        response.stream = answer.file
    else:
        response.data = answer.content


def write_error(response: Response, error: LocError) -> None:
    """The failure envelope (service.md, Errors)."""
    _write_status(response, error)
    message = truncate(error.message)
    try:
        response.data = failure(error.code, message, error.details)
    except (TypeError, ValueError):  # what a plugin refuses with may be anything
        message = message.encode("utf-8", "replace").decode()
        response.data = failure(error.code, message, None)


def write_content_error(response: Response, error: LocError) -> None:
    """``{"error": code}``, readable from any origin (service.md, Errors, content)."""
    _write_status(response, error)
    response.set_header("Access-Control-Allow-Origin", ANY_ORIGIN)
    response.data = _encoder.encode({"error": error.code})
    if error.status == 404:
        response.data = CONTENT_NOT_FOUND
        response.set_header("Cache-Control", CONTENT_NOT_FOUND_CACHE)


def failure(code: str, message: str, details: object) -> bytes:
    """The envelope of a refusal (service.md, Errors)."""
    error: dict[str, object] = {"code": code, "message": message}
    if details is not None:
        error["details"] = details
    return _encoder.encode({"success": False, "error": error})


def _write_json(response: Response, content: bytes, status: str) -> None:
    response.status = status
    response.content_type = JSON
    response.set_header("Cache-Control", NO_STORE)
    response.data = content


def _write_status(response: Response, error: LocError) -> None:
    response.status = code_to_http_status(error.status)
    response.content_type = JSON
    response.set_header("Cache-Control", NO_STORE)
    if isinstance(error, Unauthorized):
        response.set_header("WWW-Authenticate", "Bearer")
    elif isinstance(error, (RateLimited, Unavailable)):
        response.set_header("Retry-After", str(error.retry_after_seconds))
