"""Serves probes, the OpenAPI document, and Swagger UI from this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct

from locframework.errors import NotFound

from .openapi import Document
from .operation import Operation, RawResponse, operation
from .records import Raw, RequestInfo

Check = Callable[[], object]
"""Asks a part that requests need. Raises Unavailable when it does not answer."""

SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HTML = "text/html; charset=utf-8"
_FILES = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "init.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "favicon-32x32.png": "image/png",
}


class Health(Struct, frozen=True):
    """The state of the process."""

    status: Literal["ok"] = "ok"


class Readiness(Struct, frozen=True):
    """Whether requests and jobs are served."""

    status: Literal["ok"] = "ok"
    jobs: Literal["ok", "stalled"] = "ok"


class ServiceEndpoints:
    """Declares what every app has. No limit counts the probes, lest it kill a process.

    ``operations``, which the document describes, are set once all are known.
    """

    tag = "Service"

    def __init__(
        self,
        checks: Sequence[Check] = (),
        jobs_are_stalled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._checks = checks
        self._jobs_are_stalled = jobs_are_stalled
        self.operations: Sequence[Operation] = ()

    @operation("GET", "/healthz", public=True, rate=None)
    def get_health(self) -> Health:
        """Check whether the process is alive."""
        return Health()

    @operation("GET", "/readyz", public=True, rate=None)
    def get_readiness(self) -> Readiness:
        """Check whether requests can be served.

        503 while the database, or a shared rate limit storage, does not answer.
        ``jobs`` is ``stalled`` when jobs are due and none was worked on for 60 seconds.
        """
        for check in self._checks:
            check()
        return Readiness(jobs="stalled" if self._jobs_are_stalled() else "ok")

    @operation(
        "GET",
        "/openapi.json",
        public=True,
        raw=(RawResponse(200, "OpenAPI 3.1", "application/json", dict[str, object]),),
    )
    def get_openapi(self, request: RequestInfo) -> Raw:
        """Get this document."""
        server = msgspec.json.encode({"servers": [{"url": request.base_url}]})
        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
        content = server[:-1] + b"," + self._document[1:]
        return Raw(content, "application/json", headers=headers)

    @cached_property
    def _document(self) -> bytes:
        return msgspec.json.encode(Document(self.operations).write())

    @operation(
        "GET",
        "/docs",
        public=True,
        raw=(RawResponse(200, "A page", _HTML, headers=("Content-Security-Policy",)),),
    )
    def get_docs_page(self) -> Raw:
        """Read this document in the browser.

        Loads nothing from other hosts.
        """
        headers = {
            "Content-Security-Policy": SECURITY_POLICY,
            "Cache-Control": "no-cache",
        }
        return Raw(_read("index.html"), _HTML, headers=headers)

    @operation(
        "GET",
        "/docs/{file}",
        public=True,
        raw=(RawResponse(200, "A script, style or picture", "*/*"),),
    )
    def get_docs_file(self, file: str) -> Raw:
        """Get a file of the page."""
        if file not in _FILES:
            raise NotFound
        headers = {"Cache-Control": "public, max-age=86400"}
        return Raw(_read(file), _FILES[file], headers=headers)


_LANDING = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 3rem auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>This is locframework, a service that manages the texts of applications in many
languages. It has no pages to work in; programs use its API.</p>
<ul>
<li><a href="{base}/docs">Documentation of the API</a>, to read and to try out</li>
<li><a href="{base}/openapi.json">Description of the API</a> in OpenAPI 3.1</li>
</ul>
<p>Guides for users and operators are in the folder <code>docs</code> of its source.</p>
</body>
</html>
"""


def landing_page(base_url: str, *, is_root: bool) -> Raw:
    """Return what a browser gets at the root, or at a path that does not exist."""
    title = "Localization management" if is_root else "There is no such page"
    content = _LANDING.format(title=title, base=escape(base_url))
    headers = {"Content-Security-Policy": SECURITY_POLICY, "Cache-Control": "no-cache"}
    status = 200 if is_root else 404
    return Raw(content.encode(), _HTML, status, headers)


def _read(name: str) -> bytes:
    return (files("locframework.http") / "swagger_ui" / name).read_bytes()
