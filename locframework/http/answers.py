"""Writes answers: the envelope, the errors, and the same two for public content."""

from __future__ import annotations

import msgspec
from falcon import Response, code_to_http_status

from locframework.errors import (
    LocError,
    RateLimited,
    Unauthorized,
    Unavailable,
    truncate,
)

from .etags import etag_of, none_match
from .records import Accepted, Raw

JSON = "application/json"
NOT_KEPT = "no-store"  # answers are one caller's, and a secret is shown once
RETRY_AFTER_ACCEPTED = "2"  # seconds; decisions 2.1.1
CONTENT_NOT_FOUND = b'{"error":"not_found"}'  # service.md, Errors
CONTENT_NOT_FOUND_CACHE = "public, max-age=60"
ANY_ORIGIN = "*"

_BEGIN, _END = b'{"success":true,"data":', b"}"
_encoder = msgspec.json.Encoder()


class _Error(msgspec.Struct, frozen=True, omit_defaults=True):
    code: str
    message: str
    details: object = None


class _Failure(msgspec.Struct, frozen=True):
    success: bool
    error: _Error


class _Success(msgspec.Struct, frozen=True):
    success: bool
    data: object


def encoded(data: object) -> bytes:
    """``data`` as it stands in an answer; ETags are made of it."""
    return _encoder.encode(data)


def write_data(response: Response, data: object, status: str) -> None:
    """``{"success": true, "data": …}``."""
    # in one go: to put the envelope around it later copies the whole answer
    _write_json(response, _encoder.encode(_Success(True, data)), status)


def write_tagged(
    response: Response, data: object, status: str, if_none_match: str | None
) -> None:
    """The same with its ETag; 304 without a body when ``If-None-Match`` names it."""
    content = _encoder.encode(data)
    etag = etag_of(content)
    response.set_header("ETag", etag)
    if if_none_match is not None and none_match(if_none_match, etag):
        response.status = "304 Not Modified"
        response.set_header("Cache-Control", NOT_KEPT)
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


def write_kept(
    response: Response, status: int, location: str | None, content: str
) -> None:
    """An answer of ``write_data`` or ``write_accepted`` that was kept as text."""
    response.status = code_to_http_status(status)
    response.content_type = JSON
    response.set_header("Cache-Control", NOT_KEPT)
    response.data = content.encode()
    if location is not None:
        response.set_header("Location", location)
        response.set_header("Retry-After", RETRY_AFTER_ACCEPTED)


def write_raw(response: Response, answer: Raw) -> None:
    """Exactly what was asked for; kept by nobody where it does not say how long."""
    response.status = code_to_http_status(answer.status)
    response.set_headers({"Cache-Control": NOT_KEPT, **answer.headers})
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
    return _encoder.encode(_Failure(False, _Error(code, message, details)))


def _write_json(response: Response, content: bytes, status: str) -> None:
    response.status = status
    response.content_type = JSON
    response.set_header("Cache-Control", NOT_KEPT)
    response.data = content


def _write_status(response: Response, error: LocError) -> None:
    response.status = code_to_http_status(error.status)
    response.content_type = JSON
    response.set_header("Cache-Control", NOT_KEPT)
    if isinstance(error, Unauthorized):
        response.set_header("WWW-Authenticate", "Bearer")
    elif isinstance(error, (RateLimited, Unavailable)):
        response.set_header("Retry-After", str(error.retry_after_seconds))
