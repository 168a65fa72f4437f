"""Serves the OpenAPI document of the app that it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from .openapi import document
from .operation import Operation, RawAnswer, operation
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
        raw=(RawAnswer(200, "OpenAPI 3.1", "application/json", dict[str, object]),),
    )
    def get_openapi(self, request: RequestInfo) -> Raw:
        """Get this document."""
        server = msgspec.json.encode({"servers": [{"url": request.base_url}]})
        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
        content = server[:-1] + b"," + self._rest[1:]
        return Raw(content, "application/json", headers=headers)

    @cached_property
    def _rest(self) -> bytes:
        return msgspec.json.encode(document(self.operations))
