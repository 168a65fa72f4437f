"""Writes the OpenAPI 3.1 document of the operations that an app serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_type_hints

from locframework.errors import Problem

from .examples import example_of
from .openapi_answers import FAILURE, Answers, header_components
from .openapi_headers import header_parameters
from .operation import Operation, PathParameter, camel
from .parameters import ABOUT
from .schemas import Schema, Schemas, plain

TITLE = "Localization Management Service API"
VERSION = "1.2.0"  # service.md, Versioning
DESCRIPTION = """\
Answers are `{"success": true, "data": …}` or `{"success": false, "error": {"code",
"message"}}`; codes are part of the interface, messages are for people. Unknown members
are ignored. No text may contain U+0000 or a lone surrogate, no object a member twice.
HEAD answers like GET, without the body.
"""

_ID: Schema = {
    "type": "string",
    "pattern": "^(.*-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "description": "An id, or a slug that ends in it",
}


def document(operations: Sequence[Operation]) -> Schema:
    """The whole document but for ``servers``, which depends on the request.

    The same operations in the same order give the same document.
    """
    return _Document(operations).write()


class _Document:
    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self._single_reads = {each.path for each in operations if each.is_single_read}
        self._hints = {
            each.name: get_type_hints(each.call, include_extras=True)
            for each in operations
        }
        read = [each for one in operations for each in (one.query, one.form) if each]
        self._schemas = Schemas(
            [Problem, *(each for one in operations for each in self._types(one))], read
        )
        self._answers = Answers(self._schemas)

    def write(self) -> Schema:
        paths: dict[str, Schema] = {}
        for operation in self._operations:
            methods = paths.setdefault(operation.path, {})
            methods[operation.method.lower()] = self._operation(operation)
            if operation.declaration.head:
                methods["head"] = self._head(operation)
        tags = dict.fromkeys(each.declaration.tag for each in self._operations)
        return {
            "openapi": "3.1.0",
            "info": {
                "title": TITLE,
                "version": VERSION,
                "description": DESCRIPTION,
            },
            "security": [{"token": []}],
            "tags": [{"name": tag} for tag in tags],
            "paths": paths,
            "components": {
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
                "headers": header_components(),
                "responses": dict(sorted(self._answers.components.items())),
                "schemas": {**self._schemas.components, "Failure": FAILURE},
            },
        }

    def _types(self, operation: Operation) -> list[Any]:
        raw = [each.schema for each in operation.declaration.raw]
        paths = [
            self._hints[operation.name][each.name] for each in operation.parameters
        ]
        types = [operation.answer, operation.accepted, operation.body, *raw, *paths]
        return [each for each in types if each is not None]

    def _operation(self, operation: Operation) -> Schema:
        declaration = operation.declaration
        written: Schema = {
            "operationId": camel(operation.name),
            "summary": operation.summary,
            "description": plain(operation.description),
            "tags": [declaration.tag],
            "parameters": self._parameters(operation),
            "requestBody": self._request_body(operation),
            "responses": self._answers.of(operation),
        }
        written = {key: each for key, each in written.items() if each}
        if declaration.public:
            written["security"] = []
        else:
            written["x-permission"] = declaration.permission
        return written

    def _head(self, operation: Operation) -> Schema:
        """HEAD answers what GET does, without the body."""
        as_get = self._operation(operation)
        written = {
            "operationId": as_get["operationId"] + "Head",
            "summary": f"{operation.summary}: the headers only",
        }
        for key in ("tags", "parameters", "security", "x-permission"):
            if key in as_get:
                written[key] = as_get[key]
        written["responses"] = {
            status: {"description": f"As {status} of GET"}
            for status in as_get["responses"]
        }
        return written

    def _parameters(self, operation: Operation) -> list[Schema]:
        hints = self._hints[operation.name]
        found = [
            self._path_parameter(each, self._schemas.of(hints[each.name]))
            for each in operation.parameters
        ]
        if operation.query is not None:
            fields = self._schemas.fields(operation.query)
            found += [
                {
                    "name": name,
                    "in": "query",
                    "required": name in fields["required"],
                    **_told(name, schema),
                }
                for name, schema in fields["properties"].items()
            ]
        return [*found, *header_parameters(operation, self._single_reads)]

    def _path_parameter(self, parameter: PathParameter, schema: Schema) -> Schema:
        if schema == {"type": "string"} and parameter.wire.endswith("Id"):
            schema = _ID
        written: Schema = {"name": parameter.wire, "in": "path", "required": True}
        if schema is _ID or "examples" in schema:
            written["example"] = example_of(schema, self._schemas.resolve, "id")
        return {**written, **_told(parameter.wire, schema)}

    def _request_body(self, operation: Operation) -> Schema | None:
        if operation.body is not None:
            return {
                "required": not operation.body_optional,
                "content": self._answers.sent(self._schemas.of(operation.body)),
            }
        if operation.form is not None:
            schema = self._schemas.fields(operation.form)
            members = schema["properties"]
            for name, member in members.items():
                members[name] = {**_about(name), **member}
            example = example_of(schema, self._schemas.resolve)
            media = {"schema": schema, "example": example}
            return {"required": True, "content": {"multipart/form-data": media}}
        return None


def _told(name: str, schema: Schema) -> Schema:
    """A parameter's schema, with its description where the reader looks for it."""
    rest = {key: each for key, each in schema.items() if key != "description"}
    told = {key: each for key, each in schema.items() if key == "description"}
    return {**_about(name), **told, "schema": rest}


def _about(name: str) -> Schema:
    return {"description": ABOUT[name]} if name in ABOUT else {}
