"""Serves the requests of one operation: authenticate, decode, call, respond."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Generic, TypeVar

from falcon import Request, Response, code_to_http_status, mediatypes
from msgspec import Struct

from locframework.errors import LocError, MethodNotAllowed, NotAcceptable

from .admission import Admission
from .body import Environ, FormBody
from .idempotency import HEADER as IDEMPOTENCY_KEY
from .idempotency import IdempotentOperation, check_key, finish_of
from .json_body import JsonBody
from .operation import DeclarationError, Operation
from .preconditions import HEADER as IF_MATCH
from .preconditions import IfMatch
from .records import Accepted, Prepared, Principal, Raw, RequestInfo
from .responses import (
    JSON,
    url_resolver_of,
    write_accepted,
    write_data,
    write_raw,
    write_tagged,
)
from .routing import SLASH_PLACEHOLDER
from .text_fields import Query

C = TypeVar("C", bound=Principal)

PermissionCheck = Callable[[C, str, str], object]
"""Raises 404 or 403 for a caller, a permission and the first path parameter."""

VisibilityCheck = Callable[[C, str], object]
"""Raises 404 for a caller and the first path parameter, whatever the permissions."""

Reader = tuple[str, Callable[[Environ], object]]
"""The name of an argument, and the function that reads it from the request."""

PREFIX = "/api/v1"
REQUEST_ID = "locframework.request_id"  # in the WSGI environ
_NOTHING = ""  # what the body is called that an operation does not ask for
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

CONTENT_METHODS = "GET, HEAD, OPTIONS"
CONTENT_HEADERS = [
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "ETag, X-Service-Release, X-Service-Quota, Retry-After",
    ),
]
PREFLIGHT_HEADERS = [
    ("Access-Control-Allow-Methods", CONTENT_METHODS),
    ("Access-Control-Allow-Headers", "If-None-Match"),
    ("Access-Control-Max-Age", "86400"),
    ("Allow", CONTENT_METHODS),
]


class NoBody(Struct):
    """The body of an operation that declares none: any JSON object, or no body."""


class Dispatch(Generic[C]):
    """Serves one operation; computes what it can before the first request."""

    def __init__(
        self,
        operation: Operation,
        admission: Admission[C],
        permission_checks: Mapping[str, PermissionCheck[C]],
        visibility_checks: Mapping[str, VisibilityCheck[C]],
        base_url: str | None,
        if_match: IfMatch[C] | None = None,
        once: IdempotentOperation[C] | None = None,
    ) -> None:
        """Raises DeclarationError if no permission check exists for the path, or the
        query, body or form cannot be decoded."""
        declaration = operation.declaration
        self._base_url = base_url
        self._call = operation.call
        self._rate = declaration.rate
        admit = admission.admit_anyone if declaration.public else admission.admit
        self._admit: Callable[..., Any] = admit
        self._prepares = operation.prepares
        self._is_content = declaration.rate == "content"
        self._wants_caller = operation.wants_caller
        self._wants_request = operation.wants_request
        self._status = code_to_http_status(declaration.status)
        self._is_plain = not operation.returns_raw and operation.accepted is None
        self._link = url_resolver_of(operation.answer)
        self._is_tagged = operation.is_single_read or bool(declaration.etag)
        self._is_read = declaration.method == "GET"  # HEAD too
        self._if_match = if_match
        self._once = once
        self._negotiates = not operation.returns_raw
        self._guard = _permission_check_of(
            operation, permission_checks
        ) or _visibility_check_of(operation, visibility_checks)
        self._slashed = [
            each.name for each in operation.parameters if each.allows_slashes
        ]
        self._readers = _readers_of(operation)

    def __call__(self, request: Request, response: Response, /, **given: Any) -> None:
        """Respond to a request; Falcon passes the path parameters as ``given``."""
        environ = request.env
        for name in self._slashed:
            given[name] = given[name].replace(SLASH_PLACEHOLDER, "/")
        if self._is_content:
            response.set_headers(CONTENT_HEADERS)
        caller = self._admit(environ, response, self._rate)
        try:
            for name, read in self._readers:
                given[name] = read(environ)
            if self._negotiates and not accepts_json(environ):
                raise NotAcceptable("responses are always application/json")
            if self._once is not None:
                check_key(environ)
        except LocError:
            # 404 and 403 go before faults of the body (decisions 2.2). Without a
            # fault the service makes the same checks.
            if self._guard is not None:
                self._guard(caller, given)
            raise
        given.pop(_NOTHING, None)
        if self._wants_caller:
            given["caller"] = caller
        if self._wants_request:
            given["request"] = self._info(request)
        if self._once is not None and IDEMPOTENCY_KEY in environ:
            self._respond_once(self._once, caller, request, response, given)
            return
        if self._if_match is not None and IF_MATCH in environ:
            answer = self._call_if_match(self._if_match, caller, request, given)
        else:
            answer = self._call(**given)
            if isinstance(answer, Prepared):
                answer = answer.finish()
        self._write(request, response, answer)

    def _respond_once(
        self,
        once: IdempotentOperation[C],
        caller: C,
        request: Request,
        response: Response,
        given: dict[str, Any],
    ) -> None:
        """Respond to a POST with an Idempotency-Key, which may be a repetition."""
        once(
            caller,
            request.env,
            given,
            response,
            lambda: self._guard and self._guard(caller, given),
            lambda: self._call(**given),
            lambda first, done: self._write(request, first, done),
        )

    def _call_if_match(
        self, if_match: IfMatch[C], caller: C, request: Request, given: dict[str, Any]
    ) -> object:
        """Return what a write with If-Match returns; it needs the state named there."""
        if self._guard is not None:
            self._guard(caller, given)
        write: Callable[[], object] = partial(self._call, **given)
        if self._prepares:  # slow work stays outside the transaction
            write = finish_of(write())
        return if_match(caller, request.env, given, lambda: self._info(request), write)

    def _write(self, request: Request, response: Response, answer: object) -> None:
        if self._link is not None:
            answer = self._link(answer, self._base(request))
        if self._is_tagged:
            # only reads respond with 304
            known = request.env.get("HTTP_IF_NONE_MATCH") if self._is_read else None
            write_tagged(response, answer, self._status, known)
        elif self._is_plain:
            write_data(response, answer, self._status)
        elif isinstance(answer, Raw):
            write_raw(response, answer)
        elif isinstance(answer, Accepted):
            write_accepted(response, answer, self._base(request))
        else:
            write_data(response, answer, self._status)

    def _info(self, request: Request) -> RequestInfo:
        environ = request.env
        return RequestInfo(
            method=request.method,
            base_url=self._base(request),
            request_id=request_id(environ),
            if_none_match=environ.get("HTTP_IF_NONE_MATCH"),
        )

    def _base(self, request: Request) -> str:
        return self._base_url or request.prefix + PREFIX


class MethodRefusal(Generic[C]):
    """Responds with 405 where the path exists and the method does not."""

    def __init__(self, admission: Admission[C], allowed: str) -> None:
        self._admission = admission
        self._allowed = allowed

    def __call__(self, request: Request, response: Response, /, **_: str) -> None:
        self._admission.count_unrouted(request.env, response)
        response.set_header("Allow", self._allowed)
        raise MethodNotAllowed(f"this path allows {self._allowed}")


def preflight(_request: Request, response: Response, **_: str) -> None:
    """Respond to OPTIONS of public content: every origin may read it."""
    response.set_headers(CONTENT_HEADERS)
    response.set_headers(PREFLIGHT_HEADERS)
    response.status = "204 No Content"


def request_id(environ: dict[str, Any]) -> str:
    """Return the id of this request; create it if there is none yet."""
    known: str | None = environ.get(REQUEST_ID)
    if known is None:
        known = environ[REQUEST_ID] = os.urandom(12).hex()
    return known


def valid_request_id(asked: str | None) -> str | None:
    """Return the request id that the client sent, or None if it is malformed."""
    return asked if asked and _REQUEST_ID.fullmatch(asked) else None


def accepts_json(environ: Environ) -> bool:
    """Return whether ``Accept`` allows JSON; a malformed header does."""
    accept = environ.get("HTTP_ACCEPT")
    if not accept or accept == "*/*" or accept == JSON:
        return True
    try:
        return mediatypes.quality(JSON, accept) > 0
    except ValueError:
        return True


def require_servable(
    operation: Operation, permission_checks: Mapping[str, PermissionCheck[C]]
) -> None:
    """Raise DeclarationError as Dispatch would, at a tenth of its cost.

    Dispatch objects are created at the first request of a path.
    """
    _permission_check_of(operation, permission_checks)
    _readers_of(operation)


def _readers_of(operation: Operation) -> Sequence[Reader]:
    return _readers(
        operation.query,
        operation.body,
        operation.form,
        operation.takes_json,
        operation.body_optional,
        operation.declaration.upload_limit,
    )


@cache  # the same for every app
def _readers(
    query: type[Struct] | None,
    body: type[Struct] | None,
    form: type[Struct] | None,
    takes_json: bool,
    body_optional: bool,
    upload_limit: int,
) -> Sequence[Reader]:
    """Return the readers of query, body and form, with the arguments they are for."""
    readers: list[Reader] = []
    if query is not None:
        asked = Query(query)
        readers.append(
            ("query", lambda environ: asked.read(environ.get("QUERY_STRING", "")))
        )
    if body is not None:
        readers.append(("body", JsonBody(body, optional=body_optional).read))
    elif takes_json:
        readers.append((_NOTHING, JsonBody(NoBody, optional=True).read))
    if form is not None:
        readers.append(("form", FormBody(form, upload_limit).read))
    return readers


def _permission_check_of(
    operation: Operation, permission_checks: Mapping[str, PermissionCheck[C]]
) -> Callable[[C, dict[str, Any]], object] | None:
    """Return the permission check of an operation, or None if it needs none."""
    permission = operation.declaration.permission
    if permission is None:
        return None
    root = operation.parameters[0] if operation.parameters else None
    guard = permission_checks.get(root.wire if root else "")
    if guard is None:
        raise DeclarationError(
            f"operation {operation.name}: there is no permission check for "
            f"{root.wire if root else 'operations without a path parameter'!r}"
        )
    if root is None:
        return lambda caller, given: guard(caller, permission, "")
    name = root.name
    return lambda caller, given: guard(caller, permission, given[name])


def _visibility_check_of(
    operation: Operation, visibility_checks: Mapping[str, VisibilityCheck[C]]
) -> Callable[[C, dict[str, Any]], object] | None:
    """Return the visibility check of an operation that any valid token may use."""
    if operation.declaration.public or not operation.parameters:
        return None
    root = operation.parameters[0]
    sight = visibility_checks.get(root.wire)
    return (
        None if sight is None else lambda caller, given: sight(caller, given[root.name])
    )
