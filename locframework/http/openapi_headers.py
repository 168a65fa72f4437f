"""Describes the headers that a request may carry."""

from __future__ import annotations

from collections.abc import Collection

from .idempotency import KEY_PATTERN
from .operation import Operation
from .preconditions import METHODS
from .schemas import Schema

_TAGS = "`*`, or ETags separated by commas"

_IF_NONE_MATCH = f"304 if the answer still has one of these; {_TAGS}"
_IF_MATCH = (
    "Do it only if GET of this path, with this query, still answers with one of these "
    f"ETags, else 412; {_TAGS}. Needs the permission of that GET too"
)

_IDEMPOTENCY_KEY = (
    "Do it once: for 24 hours, the same request with the same key gets the same answer "
    "again, another request with it 409. Refusals are not kept"
)
_SHOWN_ONCE = "; nor is this answer, which shows a secret: it is 409 the next time"


def header_parameters(
    operation: Operation, single_reads: Collection[str]
) -> list[Schema]:
    """The header parameters; ``single_reads`` are the paths whose GET has an ETag."""
    if operation.is_single_read:
        return [_header("If-None-Match", _IF_NONE_MATCH)]
    if operation.method in METHODS and operation.judged_by in single_reads:
        return [_header("If-Match", _IF_MATCH)]
    if operation.takes_key:
        more = _SHOWN_ONCE if operation.declaration.secret else ""
        text = _IDEMPOTENCY_KEY + more
        return [_header("Idempotency-Key", text, pattern=KEY_PATTERN)]
    return []


def _header(name: str, description: str, **schema: object) -> Schema:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": {"type": "string", **schema},
    }
