"""Serves the OpenAPI document, and Swagger UI from this package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files

import msgspec

from locframework.errors import NotFound

from .openapi import Document
from .operation import Operation, RawResponse, operation
from .records import Raw, RequestInfo


class ApiDocumentEndpoints:
    """Declares the document; ``operations`` are told once all are known."""

    def __init__(self) -> None:
        self.operations: Sequence[Operation] = ()

    @operation(
        "GET",
        "/openapi.json",
        public=True,
        tag="Service",
        raw=(RawResponse(200, "OpenAPI 3.1", "application/json", dict[str, object]),),
    )
    def get_openapi(self, request: RequestInfo) -> Raw:
        """Get this document."""
        server = msgspec.json.encode({"servers": [{"url": request.base_url}]})
        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
        content = server[:-1] + b"," + self._rest[1:]
        return Raw(content, "application/json", headers=headers)

    @cached_property
    def _rest(self) -> bytes:
        return msgspec.json.encode(Document(self.operations).write())


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


class DocsPageEndpoints:
    """Declares the page and its files."""

    @operation(
        "GET",
        "/docs",
        public=True,
        tag="Service",
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
        tag="Service",
        raw=(RawResponse(200, "A script, style or picture", "*/*"),),
    )
    def get_docs_file(self, file: str) -> Raw:
        """Get a file of the page."""
        if file not in _FILES:
            raise NotFound
        headers = {"Cache-Control": "public, max-age=86400"}
        return Raw(_read(file), _FILES[file], headers=headers)


def _read(name: str) -> bytes:
    return (files("locframework.http") / "swagger_ui" / name).read_bytes()
