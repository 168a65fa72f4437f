"""Describes what an operation may answer: success, jobs, files, every refusal."""

from __future__ import annotations

from typing import Any

from locframework import errors
from locframework.errors import LocError

from .answers import JSON
from .examples import example_of
from .operation import Operation, RawAnswer
from .preconditions import METHODS
from .schemas import Schema, Schemas

RATE_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

_HEADERS = {
    "X-Request-Id": ("string", "Identifies this request in the log"),
    "X-RateLimit-Limit": ("integer", "Requests allowed per minute"),
    "X-RateLimit-Remaining": ("integer", "Requests left in this minute"),
    "X-RateLimit-Reset": (
        "integer",
        "Unix seconds at which the oldest request of the minute stops counting",
    ),
    "Retry-After": ("integer", "Seconds to wait"),
    "ETag": ("string", "Identifies the state of what was read"),
    "Idempotency-Replayed": (
        "string",
        "`true`: the answer given the first time; it was not done again",
    ),
    "Location": ("string", "Where to follow the job"),
    "WWW-Authenticate": ("string", "Always Bearer"),
    "Allow": ("string", "The methods that the path allows"),
}
_MORE_HEADERS = {
    202: ("Location", "Retry-After"),
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


class Answers:
    """Writes ``responses``; those that many operations share are components."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self.components: dict[str, Schema] = {}

    def of(self, operation: Operation) -> Schema:
        """The ``responses`` of an operation, by status."""
        answers = {**self._successes(operation), **self._refusals(operation)}
        if operation.is_single_read:
            answers["304"] = {
                "description": "Unchanged since an ETag of If-None-Match",
                "headers": _headers("ETag", *RATE_HEADERS),
            }
        return answers

    def sent(self, schema: Schema) -> Schema:
        """What a client sends as JSON, with an example: what it needs to say."""
        example = example_of(schema, self._schemas.resolve)
        return {JSON: {"schema": schema, "example": example}}

    def content(self, schema: Schema) -> Schema:
        """What is answered as JSON, with an example: all that is there."""
        example = example_of(schema, self._schemas.resolve_answered)
        return {JSON: {"schema": schema, "example": example}}

    def _successes(self, operation: Operation) -> Schema:
        declaration = operation.declaration
        rated = RATE_HEADERS if declaration.rate == "api" else ()
        is_tagged = operation.is_single_read or declaration.etag
        tag = ("ETag",) if is_tagged else ()
        if operation.takes_key and not declaration.secret:
            tag = ("Idempotency-Replayed",)
        answers: Schema = {}
        for status, type_, text in (
            (declaration.status, operation.answer, "Done"),
            (202, operation.accepted, "Accepted: a job does it"),
        ):
            if type_ is not None:
                answers[str(status)] = {
                    "description": text,
                    "headers": _headers(*rated, *tag, *_MORE_HEADERS.get(status, ())),
                    "content": self.content(self._enveloped(type_)),
                }
        for raw in declaration.raw:
            told = self._raw(raw, rated)
            there = answers.setdefault(str(raw.status), told)
            if there is not told:  # the same in another media type
                there["content"] |= told["content"]
        return answers

    def _raw(self, raw: RawAnswer, rated: tuple[str, ...]) -> Schema:
        named = {name: {"schema": {"type": "string"}} for name in raw.headers}
        written: Schema = {
            "description": raw.description,
            "headers": {**_headers(*rated), **named},
        }
        if raw.content_type is not None:
            written["content"] = {raw.content_type: self._raw_media(raw)}
        return written

    def _raw_media(self, raw: RawAnswer) -> Schema:
        if raw.content_type == JSON:
            media: Schema = self.content(self._schemas.of(raw.schema))[JSON]
            return media
        schema = _BINARY if raw.schema is None else self._schemas.of(raw.schema)
        example = {} if raw.example is None else {"example": raw.example}
        return {"schema": schema, **example}

    def _enveloped(self, type_: Any) -> Schema:
        return {
            "type": "object",
            "properties": {
                "success": {"const": True},
                "data": self._schemas.of(type_),
            },
            "required": ["success", "data"],
        }

    def _refusals(self, operation: Operation) -> Schema:
        codes: dict[int, set[str]] = {}
        for error in refusals_of(operation):
            codes.setdefault(error.status, set()).add(error.code)
        documented = {raw.status for raw in operation.declaration.raw}
        refuse = (
            self._content_refusal
            if operation.declaration.rate == "content"
            else self._refusal
        )
        return {
            str(status): {"$ref": refuse(status, sorted(codes[status]))}
            for status in sorted(codes)
            if status not in documented
        }

    def _refusal(self, status: int, codes: list[str]) -> str:
        narrowed = {"properties": {"error": {"properties": {"code": {"enum": codes}}}}}
        error = {"code": codes[0], "message": "What is wrong, for people"}
        return self._component(
            "_or_".join(codes),
            {
                "description": ", ".join(f"`{code}`" for code in codes),
                "headers": _headers(*RATE_HEADERS, *_MORE_HEADERS.get(status, ())),
                "content": {
                    JSON: {
                        "schema": {
                            "allOf": [
                                {"$ref": "#/components/schemas/Failure"},
                                narrowed,
                            ]
                        },
                        "example": {"success": False, "error": error},
                    }
                },
            },
        )

    def _content_refusal(self, status: int, codes: list[str]) -> str:
        schema = {
            "type": "object",
            "properties": {"error": {"enum": codes}},
            "required": ["error"],
        }
        return self._component(
            "content_" + "_or_".join(codes),
            {
                "description": ", ".join(f"`{code}`" for code in codes),
                "headers": _headers(*_MORE_HEADERS.get(status, ())),
                "content": {JSON: {"schema": schema, "example": {"error": codes[0]}}},
            },
        )

    def _component(self, name: str, response: Schema) -> str:
        self.components.setdefault(name, response)
        return f"#/components/responses/{name}"


def header_components() -> dict[str, Schema]:
    """Every header that answers refer to."""
    return {
        name: {"description": text, "schema": {"type": type_}}
        for name, (type_, text) in _HEADERS.items()
    }


def _headers(*names: str) -> Schema:
    return {
        name: {"$ref": f"#/components/headers/{name}"}
        for name in ("X-Request-Id", *names)
    }


def refusals_of(operation: Operation) -> list[type[LocError]]:
    """Every refusal of an operation: those it declares, those of its shape."""
    declaration = operation.declaration
    found = [*declaration.errors, LocError, errors.Unavailable]
    if operation.decodes:
        found.append(errors.ValidationFailed)
    if operation.takes_json:
        found.append(errors.InvalidJson)
    if operation.takes_json or operation.form is not None:
        found += [errors.PayloadTooLarge, errors.UnsupportedMediaType]
    if not declaration.public:
        found.append(errors.Unauthorized)
    if declaration.permission is not None:
        found.append(errors.PermissionDenied)
    if operation.parameters:
        found.append(errors.NotFound)
    if not declaration.public and operation.method in METHODS:
        found.append(errors.PreconditionFailed)
    if operation.takes_key:
        found += [errors.ValidationFailed, errors.IdempotencyConflict]
    if not operation.answers_raw:
        found.append(errors.NotAcceptable)
    if declaration.rate is not None:
        found.append(errors.RateLimited)
    return [*found, errors.MethodNotAllowed]


_BINARY: Schema = {"type": "string", "format": "binary"}

FAILURE: Schema = {
    "description": "What every refusal looks like",
    "type": "object",
    "properties": {
        "success": {"const": False},
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string", "maxLength": 200},
                "details": {"description": "More details, for codes that have them"},
            },
            "required": ["code", "message"],
        },
    },
    "required": ["success", "error"],
}
