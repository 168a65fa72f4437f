"""Runs operations for code of the same process, as requests run them, and lists them.

A call is encoded as a request would be, so that the same code decodes, limits and
checks it; only the caller is known already.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from typing import Any, Generic, TypeVar, cast
from urllib.parse import urlencode

import msgspec
from falcon import Request, RequestOptions, Response, ResponseOptions
from msgspec import Struct

from locframework.errors import (
    InvalidJson,
    Problem,
    ValidationFailed,
    abbreviate,
)
from locframework.transactions import Transactions
from locframework.validation import nearest, unknown_names

from .app import collect
from .body import Environ
from .dispatch import (
    PREFIX,
    Admission,
    Dispatch,
    PermissionCheck,
    VisibilityCheck,
)
from .encoding import Text, Texts, multipart, pairs
from .openapi import Document
from .operation import Operation, Rate
from .rate_limit import RateLimiter, principal_key
from .records import Principal, Raw, Upload
from .responses import JSON
from .schemas import COMPONENTS, Schema

C = TypeVar("C", bound=Principal)

_CALLER = "locframework.caller"  # in the environ of a call
# what a part of a path cannot hold over HTTP either
_PART = re.compile(r"[^/\x00-\x1f\x7f\ufffd\ud800-\udfff]+")
_DEFINITIONS = "#/$defs/"
_BYTES = "application/octet-stream"


class OperationInfo(Struct, frozen=True):
    """An operation of the API, as ``Framework.call`` runs it. The schemas are JSON
    Schemas, complete with their ``$defs``."""

    id: str
    """The ``operationId`` of the OpenAPI document: "createKey"."""
    method: str
    path: str
    """Below /api/v1: "/projects/{projectId}/keys"."""
    permission: str | None
    """None: any valid token is enough over HTTP, or none where it ``is_public``."""
    is_public: bool
    tag: str
    summary: str
    description: str
    """Markdown; "" where the summary says all."""
    parameters: Schema
    """Of an object: the parameters of the path and the query."""
    body: Schema | None
    """None: without a body. Of a form, whose files are ``Upload``, an object."""
    answer: Schema | None
    """None: it answers ``Raw``."""
    can_dry_run: bool
    plugin: str | None
    """None: the core's."""


class Calls(Generic[C]):
    """All operations of one framework. Threads may share it."""

    def __init__(
        self,
        endpoints: Sequence[object],
        *,
        of_plugins: Sequence[Operation],
        permissions: Collection[str],
        permission_checks: Mapping[str, PermissionCheck[C]],
        visibility_checks: Mapping[str, VisibilityCheck[C]],
        limiter: RateLimiter,
        transactions: Transactions,
        base_url: str | None,
    ) -> None:
        """As ``build_wsgi``. Without a ``base_url``, links begin with /api/v1."""
        self._operations = collect(endpoints, permissions, of_plugins)
        self._permission_checks = permission_checks
        self._visibility_checks = visibility_checks
        self._admission = _Known[C](limiter)
        self._transactions = transactions
        self._base_url = base_url or PREFIX
        self._dispatches: dict[str, _Call[C]] = {}
        self._request_options = RequestOptions()  # each call would make its own
        self._response_options = ResponseOptions()

    @cached_property
    def listed(self) -> tuple[OperationInfo, ...]:
        """All operations, in the order of the OpenAPI document."""
        return tuple(_listed(self._operations))

    @cached_property
    def _by_id(self) -> Mapping[str, Operation]:
        return {each.id: each for each in self._operations}

    def run(
        self,
        operation_id: str,
        caller: C,
        params: Mapping[str, object],
        body: object,
        *,
        dry_run: bool,
    ) -> Any:
        """See ``Framework.call``."""
        operation = self._by_id.get(operation_id)
        if operation is None:
            near = nearest(operation_id, self._by_id)
            hint = f"did you mean {near!r}?" if near else "see framework.operations"
            message = f"there is no operation {abbreviate(operation_id)!r}; {hint}"
            raise ValidationFailed.at("operationId", "unknown", message)
        if dry_run and operation.why_no_dry_run is not None:
            message = f"{operation_id} has no dry run: {operation.why_no_dry_run}"
            raise ValidationFailed.at("dryRun", "impossible", message)
        given, query = _split(operation, params)
        environ = _environ(operation, caller, query, body)
        request = Request(environ, self._request_options)
        response = Response(self._response_options)
        dispatch = self._dispatches.get(operation_id)
        if dispatch is None:
            dispatch = self._dispatches[operation_id] = _Call(
                operation,
                self._admission,
                self._permission_checks,
                self._visibility_checks,
                self._base_url,
            )
        if not dry_run:
            dispatch(request, response, **given)
        else:
            self._require_no_transaction()
            # it begins with the first write, so that reads and checks before hold no
            # lock, and what is called after a commit never is
            with suppress(_DryRunEnds), self._transactions.transaction(_nothing):
                dispatch(request, response, **given)
                raise _DryRunEnds
        return response.context.answer

    def _require_no_transaction(self) -> None:
        """Raise RuntimeError where what a dry run rolls back is somebody else's."""
        try:
            self._transactions.before_commit(_DryRunEnds, lambda: _nothing)
        except RuntimeError:
            return
        raise RuntimeError("a dry run cannot be made inside a transaction")


class _DryRunEnds(Exception):
    """Rolls back what a dry run has written."""


def _nothing() -> None:
    pass


class _Known(Admission[C]):
    """Admits who calls, counted as their requests are."""

    def __init__(self, limiter: RateLimiter) -> None:
        super().__init__(lambda *_: None, limiter)

    def admit(self, environ: Environ, response: Response, rate: Rate | None) -> C:
        caller = cast("C", environ[_CALLER])
        if rate is not None:
            self._count(rate, principal_key(caller), response)
        return caller

    def admit_anyone(
        self, environ: Environ, response: Response, rate: Rate | None
    ) -> None:
        self.admit(environ, response, rate)


class _Call(Dispatch[C]):
    """Serves one operation; leaves its answer in the context of the response."""

    def _write(self, request: Request, response: Response, answer: object) -> None:
        if isinstance(answer, Raw):
            response.context.answer = answer
            return
        super()._write(request, response, answer)
        response.context.answer = msgspec.json.decode(response.data or b"")["data"]


def _split(
    operation: Operation, params: Mapping[str, object]
) -> tuple[dict[str, str], Texts]:
    """Return the arguments that the path gives, and the query."""
    query = {name: _texts("params", name, value) for name, value in params.items()}
    given: dict[str, str] = {}
    missing: list[Problem] = []
    for each in operation.parameters:
        where = f"params.{each.wire}"
        parts = [part for _, part in pairs({"": query.pop(each.wire, None)})]
        if not parts:
            missing.append(Problem(where, "required", "is required"))
            continue
        segments = parts[0].split("/") if each.allows_slashes else parts
        if len(parts) > 1 or not all(map(_PART.fullmatch, segments)):
            message = "must be one text, not empty, without slashes and control codes"
            raise ValidationFailed.at(where, "character", message)
        given[each.name] = parts[0]
    if missing:
        known = [each.wire for each in operation.parameters]
        if operation.query is not None:
            known += operation.query.__struct_encode_fields__
        raise ValidationFailed.of([*missing, *unknown_names(query, known, "params")])
    return given, query


def _texts(root: str, name: object, value: object) -> Text | Sequence[Text] | None:
    """Return what can stand in a URL. Raises ValidationFailed for anything else."""
    if not isinstance(name, str):
        raise ValidationFailed.at(root, "type", f"the name {name!r} is no text")
    for each in value if isinstance(value, list | tuple) else [value]:
        if each is not None and not isinstance(each, Text):
            message = "must be a text, a number, true or false, or a list of these"
            raise ValidationFailed.at(f"{root}.{name}", "type", message)
    return cast("Text | Sequence[Text] | None", value)


def _environ(
    operation: Operation, caller: object, query: Texts, body: object
) -> dict[str, Any]:
    content, media_type = b"", ""
    if body is not None:
        content, media_type = _encoded(operation, body)
    return {
        "REQUEST_METHOD": operation.method,
        "PATH_INFO": PREFIX + operation.path,
        "QUERY_STRING": urlencode(pairs(query), errors="surrogatepass"),
        "CONTENT_TYPE": media_type,
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.input": BytesIO(content),
        "wsgi.errors": sys.stderr,
        _CALLER: caller,
    }


def _encoded(operation: Operation, body: object) -> tuple[bytes, str]:
    """Return a body and its media type. Raises InvalidJson, ValidationFailed."""
    if operation.form is not None:
        if not isinstance(body, Mapping):
            message = "must be an object with the fields of the form"
            raise ValidationFailed.at("body", "type", message)
        files = {name: each for name, each in body.items() if isinstance(each, Upload)}
        texts = {
            name: _texts("form", name, each)
            for name, each in body.items()
            if name not in files
        }
        return multipart(texts, files)
    if operation.takes_any_body and isinstance(body, bytes):
        return body, _BYTES
    if not operation.takes_json and not operation.takes_any_body:
        message = f"{operation.id} takes no body; its arguments belong into params"
        raise ValidationFailed.at("body", "unknown", message)
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise InvalidJson("the body is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise InvalidJson(f"the body is not JSON: {error}") from None
    return text.encode("utf-8", "surrogatepass"), JSON


def _listed(operations: Sequence[Operation]) -> Iterator[OperationInfo]:
    """What the OpenAPI document says, an operation at a time."""
    document = Document(operations).write()
    components = document["components"]["schemas"]
    for each in operations:
        written = document["paths"][each.path][each.method.lower()]
        fields = [
            field for field in written.get("parameters", ()) if field["in"] != "header"
        ]
        parameters = {
            "type": "object",
            "properties": {
                field["name"]: {
                    **field["schema"],
                    **{k: v for k, v in field.items() if k == "description"},
                }
                for field in fields
            },
            "required": [field["name"] for field in fields if field["required"]],
            "additionalProperties": False,
        }
        body = written.get("requestBody", {}).get("content", {})
        yield OperationInfo(
            id=each.id,
            method=each.method,
            path=each.path,
            permission=each.permission or None,
            is_public=each.public,
            tag=each.tag,
            summary=written["summary"],
            description=written.get("description", ""),
            parameters=_complete(parameters, components),
            body=next(
                (_complete(kind["schema"], components) for kind in body.values()), None
            ),
            answer=_answer(each, written["responses"], components),
            can_dry_run=each.why_no_dry_run is None,
            plugin=each.plugin or None,
        )


def _answer(
    operation: Operation, responses: Schema, components: Schema
) -> Schema | None:
    found = []
    types = {operation.status: operation.answer, 202: operation.accepted}
    for status, type_ in types.items():
        if type_ is not None:
            schema = responses[str(status)]["content"][JSON]["schema"]
            found.append(schema["properties"]["data"])
    if not found:
        return None
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    return _complete(schema, components)


def _complete(schema: Schema, components: Schema) -> Schema:
    """Return the schema with all that it refers to."""
    names: list[str] = []
    local = _local(schema, names)
    definitions: Schema = {}
    while names:
        name = names.pop()
        if name not in definitions:
            definitions[name] = _local(components[name], names)
    return {**local, "$defs": definitions} if definitions else local


def _local(schema: Any, names: list[str]) -> Any:
    """Return the schema with references to ``$defs``; add their ``names``."""
    if isinstance(schema, list):
        return [_local(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    local = {key: _local(each, names) for key, each in schema.items()}
    if isinstance(reference := schema.get("$ref"), str):
        names.append(reference.removeprefix(COMPONENTS))
        local["$ref"] = _DEFINITIONS + names[-1]
    return local
