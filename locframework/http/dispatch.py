"""From a request to its operation: routes, admission, reading, calling, responding."""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from ipaddress import AddressValueError, IPv6Address
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from wsgiref.types import WSGIEnvironment

from falcon import Request, Response, code_to_http_status, mediatypes
from falcon.constants import COMBINED_METHODS
from falcon.routing import CompiledRouter
from msgspec import Struct

from locframework.errors import (
    LocError,
    NotAcceptable,
    RateLimited,
    Unauthorized,
    ValidationFailed,
)

from .body import AnyBody, Environ, FormBody, JsonBody, Query
from .idempotency import HEADER as IDEMPOTENCY_KEY
from .idempotency import IdempotentOperation, check_key
from .operation import DeclarationError, Operation, PathParameter, Rate
from .preconditions import HEADER as IF_MATCH
from .preconditions import IfMatch
from .rate_limit import RateLimiter, principal_key
from .records import Accepted, Prepared, Principal, Raw, RequestInfo
from .responses import (
    JSON,
    url_resolver_of,
    write_accepted,
    write_data,
    write_raw,
    write_tagged,
)

SLASH_PLACEHOLDER = "\x1f"  # on the way through the router; no path comes with it


class SlashParameters:
    """Makes one segment of such a part, for the router."""

    def __init__(self, operations: Iterable[Operation], prefix: str = "") -> None:
        """``prefix`` is what stands before the path of each operation."""
        after: dict[str, set[str]] = defaultdict(set)
        for each in operations:
            for parameter in each.parameters:
                if parameter.allows_slashes:
                    before, rest = _around(prefix + each.path, parameter)
                    after[before].add(rest)
        found = [_pattern(before, rests) for before, rests in after.items()]
        self._pattern = re.compile("|".join(found)) if found else None

    def joined(self, path: str) -> str:
        """The path, with stand-ins for slashes inside the part."""
        found = self._pattern.fullmatch(path) if self._pattern is not None else None
        if found is None or found.lastindex is None:
            return path
        start, end = found.span(found.lastindex)
        return (
            path[:start] + path[start:end].replace("/", SLASH_PLACEHOLDER) + path[end:]
        )


def _around(path: str, parameter: PathParameter) -> tuple[str, str]:
    before, _, after = path.partition(f"{{{parameter.wire}}}")
    return re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(before)), re.escape(after)


def _pattern(before: str, rests: Iterable[str]) -> str:
    """The longest rests first, and the part as short as that lets it be."""
    ends = "|".join(sorted(rests, key=len, reverse=True))
    return f"{before}(.+?)(?:{ends})"


Responder = Callable[..., None]
Route = tuple[object, Mapping[str, Responder], dict[str, str], str | None]

_APPS_WITH_PATHS_OF_THEIR_OWN = 8  # whose code is kept; others compile anew


class Router:
    """Gives paths of falcon's kind, ``/things/{thing_id}``, their responders.

    ``responders_of`` a template tells them by method, one for each that a request may
    come with. It is asked once, when the first request has come there. Raises
    ValueError for templates that falcon refuses.
    """

    def __init__(
        self,
        templates: Iterable[str],
        responders_of: Callable[[str], Mapping[str, Responder]],
    ) -> None:
        self._responders_of = cache(responders_of)
        self._paths = _paths(tuple(templates))

    def find(self, uri: str, req: Request | None = None) -> Route | None:
        """Text goes before parameters. None: nothing is there."""
        found = self._paths.find(uri, req)
        if found is None:
            return None
        resource, _, given, template = found
        assert template is not None  # added with one, as all of ours are
        return resource, self._responders_of(template), given, template


class AppRouter(CompiledRouter):
    """Finds the responder of any path: of the API, of plugins, of what was added.

    Everything below the ``prefix`` is of the ``api``, or ``unknown``. ``files`` respond
    to all paths that begin with their name, ``redirects`` to their path. Whatever else
    an embedder adds (``add_route``) is found where none of these is.
    """

    def __init__(
        self,
        prefix: str,
        api: Router,
        unknown: Responder,
        *,
        files: Mapping[str, Responder] = MappingProxyType({}),
        redirects: Mapping[str, Responder] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self._prefix = prefix
        self._api = api
        self._unknown = _route(unknown, None)
        self._files = {name: _route(each, f"/{name}/") for name, each in files.items()}
        self._redirects = {path: _route(each, path) for path, each in redirects.items()}

    def find(self, uri: str, req: Request | None = None) -> Any:
        """Return the route, or None. Nothing that was added comes before ours."""
        if uri.startswith(self._prefix) and uri[len(self._prefix) :][:1] in ("", "/"):
            return self._api.find(uri, req) or self._unknown
        own = self._files.get(uri.split("/", 2)[1]) if uri[:1] == "/" else None
        return own or self._redirects.get(uri) or super().find(uri, req)

    def add_route(self, uri_template: str, resource: object, **how: Any) -> None:
        """Add a route of an embedder. Raises ValueError for a path that is taken, and
        as falcon does."""
        first = uri_template.split("/")[1]
        if (
            f"{uri_template}/".startswith(f"{self._prefix}/")
            or first in self._files
            or uri_template in self._redirects
        ):
            raise ValueError(f"{uri_template!r} belongs to the API or to a plugin")
        super().add_route(uri_template, resource, **how)


def _route(responder: Responder, template: str | None) -> Route:
    return _Somewhere, dict.fromkeys(COMBINED_METHODS, responder), {}, template


class _Somewhere:
    """What falcon asks for responders; it has none."""


@lru_cache(_APPS_WITH_PATHS_OF_THEIR_OWN)
def _paths(templates: tuple[str, ...]) -> CompiledRouter:
    router = CompiledRouter()
    for template in templates:
        try:
            router.add_route(template, _Somewhere())
        except ValueError as error:
            raise ValueError(f"{template}: {error}") from error
    return router


C = TypeVar("C", bound=Principal)

Authenticate = Callable[[str | None, str, str], C | None]
"""Who holds the token, by the token, the client's address and its User-Agent; None, or
Unauthorized raised, when nobody does."""

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([!-+\--~]+) *")  # no comma, no space


class Admission(Generic[C]):
    """The door of one app."""

    def __init__(self, authenticate: Authenticate[C], limiter: RateLimiter) -> None:
        self._authenticate = authenticate
        self._limiter = limiter

    def admit(
        self, environ: WSGIEnvironment, response: Response, rate: Rate | None
    ) -> C:
        """The caller of an operation that needs one.

        Tokens that are not valid count for the address, so that inventing them buys
        nothing. Raises RateLimited, Unauthorized, and what authentication raises.
        """
        refusal: LocError = _UNAUTHORIZED
        try:
            caller = self._authenticate(
                bearer_token(environ),
                environ.get("REMOTE_ADDR", ""),
                environ.get("HTTP_USER_AGENT", ""),
            )
        except LocError as error:
            caller, refusal = None, error
        if caller is not None and caller.token is not None:
            environ[TOKEN_ID] = caller.token.id
        if rate is not None:
            key = principal_key(caller) if caller is not None else _address(environ)
            self._count(rate, key, response)
        if caller is None:
            raise refusal
        return caller

    def admit_anyone(
        self, environ: Environ, response: Response, rate: Rate | None
    ) -> None:
        """For public operations: counted by address. Raises RateLimited."""
        if rate is not None:
            self._count(rate, _address(environ), response)

    def count_unrouted(self, environ: WSGIEnvironment, response: Response) -> None:
        """For a request that meets no operation: counted, and never refused here.

        Decisions 2.2 has the route before the rate limit, and the headers everywhere.
        """
        try:
            self.admit(environ, response, "api")
        except (RateLimited, Unauthorized):
            return

    def _count(self, rate: Rate, key: str, response: Response) -> None:
        window = self._limiter.take(rate, key)
        if rate == "api":
            response.set_headers(window.headers(time.time()))
        if not window.is_accepted:
            raise RateLimited(window.retry_after_seconds)


def bearer_token(environ: Environ) -> str | None:
    """The token of the Authorization header; None when there is none to be read."""
    found = _BEARER.fullmatch(environ.get("HTTP_AUTHORIZATION", ""))
    return found[1] if found else None


def _address(environ: Environ) -> str:
    """The key of an address: of IPv6 its first 64 bits, as one client has them all."""
    address: str = environ.get("REMOTE_ADDR", "")
    if ":" in address:
        with suppress(AddressValueError):
            network = IPv6Address(address).packed[:8]
            address = f"{IPv6Address(network + bytes(8))}/64"
    return f"ip:{address}"


_UNAUTHORIZED = Unauthorized()


PermissionCheck = Callable[[C, str, str], object]
"""Raises 404 or 403 for a caller, a permission and the first path parameter."""

VisibilityCheck = Callable[[C, str], object]
"""Raises 404 for a caller and the first path parameter, whatever the permissions."""

Reader = tuple[str, Callable[[Environ], object]]
"""The name of an argument, and the function that reads it from the request."""

PREFIX = "/api/v1"
REQUEST_ID = "locframework.request_id"  # in the WSGI environ, as the next
TOKEN_ID = "locframework.token_id"  # the access log's
_OURS = ("HTTP_AUTHORIZATION", "HTTP_COOKIE")  # headers that are no operation's
_NOTHING = ""  # what the body or query is called that an operation does not ask for

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


class Nothing(Struct):
    """The body of an operation that declares none, an empty JSON object or no body; and
    the query, which is empty."""


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
        self._base_url = base_url
        self._call = operation.call
        self._rate = operation.rate
        admit = admission.admit_anyone if operation.public else admission.admit
        self._admit: Callable[..., Any] = admit
        self._prepares = operation.prepares
        self._is_content = operation.rate == "content"
        self._wants_caller = operation.wants_caller
        self._wants_request = operation.wants_request
        self._status = code_to_http_status(operation.status)
        self._is_plain = not operation.returns_raw and operation.accepted is None
        self._link = url_resolver_of(operation.answer)
        self._is_tagged = operation.is_single_read or bool(operation.etag)
        self._is_read = operation.method == "GET"  # HEAD too
        self._if_match = if_match
        self._once = once
        self._refuses_key = operation.method == "POST" and once is None
        self._negotiates = not operation.returns_raw
        self._guard = guard_of(operation, permission_checks, visibility_checks)
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
            elif self._refuses_key and IDEMPOTENCY_KEY in environ:
                message = "not taken here, as the answer is not kept"
                raise ValidationFailed.at("header.Idempotency-Key", "unknown", message)
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
            self._once(
                caller,
                environ,
                given,
                response,
                lambda: self._guard and self._guard(caller, given),
                lambda: self._call(**given),
                lambda first, done: self._write(request, first, done),
            )
            return
        if self._if_match is not None and IF_MATCH in environ:
            answer = self._call_if_match(self._if_match, caller, request, given)
        else:
            answer = self._call(**given)
            if isinstance(answer, Prepared):
                answer = answer.finish()
        self._write(request, response, answer)

    def _call_if_match(
        self, if_match: IfMatch[C], caller: C, request: Request, given: dict[str, Any]
    ) -> object:
        """Return what a write with If-Match returns; it needs the state named there."""
        if self._guard is not None:
            self._guard(caller, given)
        write: Callable[[], Any] = partial(self._call, **given)
        if self._prepares:  # slow work stays outside the transaction
            write = write().finish
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
            headers={
                name[5:].replace("_", "-").lower(): value
                for name, value in environ.items()
                if name[:5] == "HTTP_" and name not in _OURS
            },
        )

    def _base(self, request: Request) -> str:
        return self._base_url or request.prefix + PREFIX


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


def accepts_json(environ: Environ) -> bool:
    """Return whether ``Accept`` allows JSON; a malformed header does."""
    accept = environ.get("HTTP_ACCEPT")
    if not accept or accept == "*/*" or accept == JSON:
        return True
    try:
        return mediatypes.quality(JSON, accept) > 0
    except ValueError:
        return True


def prefers_html(environ: Environ) -> bool:
    """Return whether ``Accept`` ranks HTML above JSON, as that of browsers does."""
    accept = environ.get("HTTP_ACCEPT", "")
    try:
        html, json = (mediatypes.quality(each, accept) for each in ("text/html", JSON))
    except ValueError:
        return False
    return html > json


def require_servable(
    operation: Operation, permission_checks: Mapping[str, PermissionCheck[C]]
) -> None:
    """Raise DeclarationError as Dispatch would, at a tenth of its cost.

    Dispatch objects are created at the first request of a path.
    """
    guard_of(operation, permission_checks, {})
    _readers_of(operation)


def _readers_of(operation: Operation) -> list[Reader]:
    readers: list[Reader] = []
    is_strict = operation.rate != "content"
    if operation.query is not None:
        readers.append(("query", Query(operation.query, is_strict=is_strict).read))
    elif is_strict:
        readers.append((_NOTHING, Query(Nothing).read))
    if operation.takes_any_body:
        readers.append(("body", AnyBody(operation.body_limit).read))
    elif operation.body is not None:
        body = JsonBody(operation.body, optional=operation.body_optional)
        readers.append(("body", body.read))
    elif operation.takes_json:
        readers.append((_NOTHING, JsonBody(Nothing, optional=True).read))
    if operation.form is not None:
        readers.append(("form", FormBody(operation.form, operation.upload_limit).read))
    return readers


def guard_of(
    operation: Operation,
    permission_checks: Mapping[str, PermissionCheck[C]],
    visibility_checks: Mapping[str, VisibilityCheck[C]],
) -> Callable[[C, dict[str, Any]], object] | None:
    """Return the check of a caller and the first path parameter, or None.

    It is that of the operation's permission; without one, of what a token may see.
    """
    root = operation.parameters[0] if operation.parameters else PathParameter("", "")
    name, permission = root.name, operation.permission
    if permission:
        check = permission_checks.get(root.wire)
        if check is None:
            raise DeclarationError(
                f"operation {operation.name}: there is no permission check for "
                f"{root.wire or 'operations without a path parameter'!r}"
            )
        return lambda caller, given: check(
            caller, permission, given[name] if name else ""
        )
    see = None if operation.public else visibility_checks.get(root.wire)
    return None if see is None else lambda caller, given: see(caller, given[name])
