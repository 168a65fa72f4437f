"""Makes the WSGI app of declared operations; nothing else can become a route."""

from __future__ import annotations

import logging
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import falcon
from falcon import Request, Response
from falcon.constants import COMBINED_METHODS

from locframework.errors import (
    LocError,
    MethodNotAllowed,
    NotFound,
    Unavailable,
    UnknownHost,
    ValidationFailed,
    truncate,
)

from .dispatch import (
    PREFIX,
    REQUEST_ID,
    Admission,
    AppRouter,
    Authenticate,
    Dispatch,
    PermissionCheck,
    Responder,
    Router,
    SlashParameters,
    VisibilityCheck,
    prefers_html,
    preflight,
    request_id,
    require_servable,
)
from .docs import ServiceEndpoints, landing_page
from .idempotency import Idempotency, IdempotentOperation
from .metrics import Metrics
from .operation import DeclarationError, Operation, operations_of, require_distinct
from .pages import PageResponder, Pages
from .preconditions import METHODS, IfMatch, Preconditions
from .rate_limit import RateLimiter
from .records import Principal
from .responses import JSON, write_content_error, write_error, write_raw

C = TypeVar("C", bound=Principal)

log = logging.getLogger("locframework.http")

# nothing between two slashes or behind the last, and nothing that is not to be shown
_PATH = re.compile(r"/?[^/\x00-\x1f\x7f\ufffd]++(?:/[^/\x00-\x1f\x7f\ufffd]++)*+")
_NOWHERE = PREFIX
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_LOOPBACK = re.compile(
    r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE
)
_ABSOLUTE = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_ANY_HOST = frozenset(f"{PREFIX}/{name}" for name in ("healthz", "readyz", "metrics"))
_METHODS = frozenset(COMBINED_METHODS)
_OF_PLUGIN = re.compile(f"{PREFIX}/plugins/([^/]+)/")
_NEVER_DECLARED = "TRACE"
_NO_ROUTE = "none"
_BEGUN = "locframework.begun"  # in the WSGI environ


def build_wsgi(
    endpoints: Sequence[object],
    *,
    of_plugins: Sequence[Operation] = (),
    pages: Mapping[str, Pages] = MappingProxyType({}),
    authenticate: Authenticate[C],
    permission_checks: Mapping[str, PermissionCheck[C]],
    visibility_checks: Mapping[str, VisibilityCheck[C]] = MappingProxyType({}),
    permissions: Collection[str],
    limiter: RateLimiter,
    base_url: str | None = None,
    trust_host: bool = False,
    metrics: Metrics | None = None,
    preconditions: Preconditions[C] | None = None,
    idempotency: Idempotency | None = None,
    closed: Event | None = None,
) -> falcon.App[Request, Response]:
    """Return the app that serves every operation of ``endpoints``, and those
    ``of_plugins``, below ``/api/v1``; ``pages`` by the first part of their paths; and
    what is added to it, as to any falcon app.

    ``permission_checks`` are keyed by the first parameter of a path (``"projectId"``),
    ``""`` for paths without one; ``visibility_checks`` likewise, for operations that
    need no permission. ``permissions`` are all that exist. ``base_url``, up to and
    including ``/api/v1``, is used in absolute URLs; None: the host of the request, a
    loopback one unless ``trust_host``.
    A ServiceEndpoints among ``endpoints`` receives the operations it describes.
    Once ``closed`` is set, the app responds with 503. Raises DeclarationError for an
    operation that cannot be served.
    """
    operations = collect(endpoints, permissions, of_plugins)
    for each in operations:
        require_servable(each, permission_checks)
    admission = Admission(authenticate, limiter)
    reads = {each.path: each for each in operations if each.is_single_read}

    def dispatch(operation: Operation) -> Responder:
        if_match = once = None
        if preconditions is not None and operation.method in METHODS:
            if_match = IfMatch(preconditions, operation, reads)
        if idempotency is not None and operation.takes_idempotency_key:
            once = IdempotentOperation[C](idempotency, operation)
        return Dispatch(
            operation,
            admission,
            permission_checks,
            visibility_checks,
            base_url,
            if_match,
            once,
        )

    content = tuple(
        PREFIX + each.path.partition("{")[0]
        for each in operations
        if each.rate == "content"
    )

    def missing(req: Request, resp: Response) -> None:
        api, asked = f"{req.root_path}{PREFIX}", req.env.get("PATH_INFO", "")
        resp.append_header("Vary", "Accept")
        is_read = req.method in ("GET", "HEAD") and not asked.startswith(content)
        if is_read and prefers_html(req.env):
            page = landing_page(base_url or api, is_root=asked in ("", "/"))
            write_raw(resp, page)
            return
        raise NotFound(f"path; {api}/docs lists all paths")

    def unknown(req: Request, resp: Response, **_: str) -> None:
        admission.count_unrouted(req.env, resp)
        missing(req, resp)

    router = AppRouter(
        PREFIX,
        _api_router(operations, dispatch, admission),
        unknown,
        files={
            name: PageResponder(name, each, missing) for name, each in pages.items()
        },
        redirects={
            each.short_path: _redirect_to(each.path, base_url)
            for each in operations
            if each.short_path
        },
    )
    app = falcon.App(
        middleware=_Frame(
            SlashParameters(operations, PREFIX),
            closed or Event(),
            metrics,
            None if base_url else "any" if trust_host else "loopback",
        ),
        router=router,
        sink_before_static_route=False,  # the last sink catches everything
    )
    _answer_errors(app, content)
    app.add_sink(unknown, "/")
    return app


def collect(
    endpoints: Sequence[object],
    permissions: Collection[str],
    of_plugins: Sequence[Operation] = (),
) -> list[Operation]:
    """All operations, in order; a ServiceEndpoints among ``endpoints`` receives them
    too. Raises DeclarationError for one that does not fit."""
    operations = [each for owner in endpoints for each in operations_of(owner)]
    operations += of_plugins
    for each in operations:
        permission = each.permission
        if permission and permission not in permissions:
            raise DeclarationError(
                f"operation {each.name}: the permission {permission!r} is unknown"
            )
    require_distinct(operations)
    for owner in endpoints:
        if isinstance(owner, ServiceEndpoints):
            owner.operations = operations
    return operations


def _redirect_to(path: str, base_url: str | None) -> Responder:
    def redirect(request: Request, response: Response, /, **_: str) -> None:
        target = (base_url or request.prefix + PREFIX) + path
        asked = request.query_string
        response.status = falcon.HTTP_308
        response.set_header("Location", f"{target}?{asked}" if asked else target)

    return redirect


def _api_router(
    operations: Sequence[Operation],
    dispatch: Callable[[Operation], Responder],
    admission: Admission[C],
) -> Router:
    """What finds the responders of a path; they are made when it is first asked for:
    an app starts in half the time, and none is asked for all paths at once."""
    by_template: dict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        by_template[PREFIX + operation.template].append(operation)

    def responders_of(template: str) -> Mapping[str, Responder]:
        here = by_template[template]
        responders: dict[str, Responder] = {
            each.method: dispatch(each) for each in here
        }
        if "GET" in responders:  # falcon leaves the body out
            responders["HEAD"] = responders["GET"]
        if any(each.rate == "content" for each in here):
            responders["OPTIONS"] = preflight
        allowed = ", ".join(sorted(responders))

        def refuse(request: Request, response: Response, /, **_: str) -> None:
            admission.count_unrouted(request.env, response)
            response.set_header("Allow", allowed)
            raise MethodNotAllowed(f"this path allows {allowed}")

        return {**dict.fromkeys(_METHODS, refuse), **responders}

    try:
        return Router(by_template, responders_of)
    except ValueError as error:
        raise DeclarationError(f"no such path can be served: {error}") from error


@dataclass(eq=False, repr=False)
class _Frame:
    _slashes: SlashParameters
    _closed: Event
    _metrics: Metrics | None
    _hosts: Literal["any", "loopback"] | None
    """Whose name becomes part of absolute URLs; None: no host's."""

    def process_request(self, request: Request, response: Response) -> None:
        environ, path = request.env, request.path
        environ[_BEGUN] = time.perf_counter()
        # as it was sent; waitress drops a second slash, and the host of a proxy's form
        target = environ.get("REQUEST_URI") or environ.get("RAW_URI") or path
        if path.startswith(PREFIX):
            is_path = _PATH.fullmatch(path) is not None and target[:2] != "//"
            request.path = self._slashes.joined(path) if is_path else _NOWHERE
        if request.method not in _METHODS:
            request.method = _NEVER_DECLARED  # falcon answers 400 to unknown ones
        asked = environ.get("HTTP_X_REQUEST_ID")
        if asked and _REQUEST_ID.fullmatch(asked):
            environ[REQUEST_ID] = asked
        if self._closed.is_set():
            raise Unavailable("the framework was closed")
        host = environ.get("HTTP_HOST")
        if host is not None and not _HOST.fullmatch(host):  # RFC 9112, 3.2
            message = f"{truncate(host)!r} is not one host, with or without a port"
            raise ValidationFailed.at("header.Host", "syntax", message)
        absolute = _ABSOLUTE.match(target)
        if absolute is not None and absolute[1].lower() != (host or "").lower():
            message = f"{truncate(absolute[1])!r} of the request line is another host"
            raise ValidationFailed.at("header.Host", "host", message)
        if self._hosts != "loopback" or not host or path in _ANY_HOST:
            return
        if not _LOOPBACK.fullmatch(host):
            message = f"{truncate(host)!r} is no loopback host; set base_url"
            raise UnknownHost(f"{message} (or trust_host, if a proxy checks hosts)")

    def process_response(
        self, request: Request, response: Response, resource: object, ok: bool
    ) -> None:
        environ = request.env
        response.set_header("X-Request-Id", request_id(environ))
        response.set_header("X-Content-Type-Options", "nosniff")
        if self._hosts == "any":
            response.append_header("Vary", "Host")
        if self._metrics is not None:
            now = time.perf_counter()
            self._metrics.add(
                request.method,
                request.uri_template or _NO_ROUTE,
                str(response.status)[:3],
                now - environ.get(_BEGUN, now),
            )


def _answer_errors(
    app: falcon.App[Request, Response], content: tuple[str, ...]
) -> None:
    def respond(
        request: Request, response: Response, error: Exception, _: dict[str, Any]
    ) -> None:
        if isinstance(error, LocError):
            refusal = error
        elif isinstance(error, falcon.HTTPError):
            if not request.path.startswith(PREFIX):  # of what was added to the app
                response.status = error.status
                response.set_headers(error.headers or {})
                response.content_type, response.data = JSON, error.to_json()
                return
            refusal = _of_status(error.status_code)
        else:
            found = _OF_PLUGIN.match(request.uri_template or "")
            where = f" in plugin {found[1]}" if found else ""
            name = request_id(request.env)
            log.error("request %s failed%s", name, where, exc_info=error)
            refusal = LocError("the request failed; see the log")
        if request.env.get("PATH_INFO", "").startswith(content):
            write_content_error(response, refusal)
        else:
            write_error(response, refusal)

    for type_ in (Exception, falcon.HTTPError, LocError):  # the last match counts
        app.add_error_handler(type_, respond)


def _of_status(status: int) -> LocError:
    if status == 404:
        return NotFound()
    if status == 405:
        return MethodNotAllowed("this path does not allow this method")
    return ValidationFailed("the request cannot be read")
