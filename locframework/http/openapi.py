"""Writes the OpenAPI 3.1 document of the operations that an app serves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from locframework import errors
from locframework.errors import LocError, Problem
from locframework.fields import identifier

from .idempotency import KEY_PATTERN
from .operation import Operation, PathParameter, RawResponse
from .preconditions import METHODS
from .records import BranchQuery
from .responses import JSON
from .schemas import FILE, Schema, Schemas, plain

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
    if operation.method in METHODS and operation.etag_path in single_reads:
        return [_header("If-Match", _IF_MATCH)]
    if operation.takes_idempotency_key:
        more = _SHOWN_ONCE if operation.secret else ""
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


def _refusal(codes: list[str], *, is_content: bool) -> Schema:
    if is_content:
        return {
            "type": "object",
            "properties": {"error": {"enum": codes}},
            "required": ["error"],
        }
    narrowed = {"properties": {"error": {"properties": {"code": {"enum": codes}}}}}
    return {"allOf": [{"$ref": "#/components/schemas/Failure"}, narrowed]}


def _headers(*names: str) -> Schema:
    return {
        name: {"$ref": f"#/components/headers/{name}"}
        for name in ("X-Request-Id", *names)
    }


def errors_of(operation: Operation) -> list[type[LocError]]:
    """Every refusal of an operation: those it declares, those of its shape."""
    found = [*operation.errors, LocError, errors.Unavailable]
    if operation.decodes:
        found.append(errors.ValidationFailed)
    if operation.takes_json:
        found.append(errors.InvalidJson)
    if operation.takes_json or operation.body or operation.form:
        found += [errors.PayloadTooLarge, errors.UnsupportedMediaType]
    if not operation.public:
        found.append(errors.Unauthorized)
    if operation.permission:
        found.append(errors.PermissionDenied)
    if operation.parameters:
        found.append(errors.NotFound)
    named = {each.wire for each in operation.parameters}
    if operation.query is not None:
        named |= {"branch"}.intersection(operation.query.__struct_fields__)
        if issubclass(operation.query, BranchQuery):
            found.append(errors.BranchNotOpen)
    missing = errors.NotFound.by_parameter
    found += [missing[name] for name in named & missing.keys()]
    if not operation.public and operation.method in METHODS:
        found.append(errors.PreconditionFailed)
    if operation.takes_idempotency_key:
        found += [errors.ValidationFailed, errors.IdempotencyConflict]
    if not operation.returns_raw:
        found.append(errors.NotAcceptable)
    if operation.rate is not None:
        found.append(errors.RateLimited)
    return [*found, errors.MethodNotAllowed]


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


ABOUT = {
    "actor": "The id of the user or token who did it",
    "blob": "As `files[].url` of the manifest names it",
    "branch": "A branch's name or id; default: main",
    "check": "Only what this check found",
    "dryRun": "true: report what would be done, change nothing",
    "eventType": "Only those of this type (`GET /webhook-event-types`)",
    "file": "The file",
    "format": "The id of a format (`GET /formats`)",
    "from": "The version to compare with; default: the one before",
    "hasProposal": "Whether a translation waits for approval",
    "include": "`values` or `details` of each key are included",
    "isPlural": "Whether the key has plural forms",
    "jobId": "The id of the job that did it",
    "keepFresh": "true: new source texts make no translation outdated",
    "keyId": "The id of a key",
    "lang": "A BCP-47 tag in any letter case; from the first `.` on it is ignored",
    "languageCode": "A BCP-47 tag of a language",
    "languageCodes": "BCP-47 tags, repeated or with commas; default: all languages",
    "minStatus": "`any`: also texts that wait for review",
    "mode": "`replace`: keys that the file does not have are removed",
    "module": "Only keys below this first segment",
    "name": "The name of a plugin (`GET /plugins`)",
    "onConflict": "What to do with a text that exists already and differs",
    "onUnreadable": "What to do with files of an archive that cannot be read",
    "addLanguages": "Add the languages that the project lacks",
    "modules": "Whether the names of files are the first segments of their keys",
    "renames": "Of keys that were renamed in the file: list them, or rename ours",
    "resolutions": "JSON: which texts single conflicts take, as the docs say",
    "seen": "JSON: hashes of the texts that the client saw last, as the docs say",
    "layout": "As in the files that were last imported, or sorted by key",
    "onExisting": "What to do with a translation that exists already and differs",
    "prefix": "What the key begins with",
    "publicKey": "The distribution's `publicKey`",
    "search": "Literal text to find, ignoring case",
    "severity": "Only findings of this severity",
    "since": "Only what happened at this time or later",
    "sort": "The field to sort by; with `-`: descending",
    "status": "Only those in this status",
    "tag": "A tag that the key has; if repeated, it has all of them",
    "type": "Only those of this type",
    "until": "Only what happened before this time",
    "updatedSince": "Only what was changed at this time or later",
    "usageStatus": "Only terms with this usage status",
    "version": "The number of a release",
}
"""By name on the wire. What a struct says of its own field (``Meta``) goes before."""


TITLE = "Localization Management Service API"
VERSION = "1.2.0"  # service.md, Versioning
DESCRIPTION = """\
Answers are `{"success": true, "data": …}` or `{"success": false, "error": {"code",
"message"}}`; codes are part of the interface, messages are for people. Unknown fields
are refused. No text may contain U+0000 or a lone surrogate, no object a member twice.
HEAD answers like GET, without the body.
"""

_ID: Schema = {
    "type": "string",
    "pattern": "^(.*-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "description": "An id, or a slug that ends in it",
    "examples": ["0199f3a1-7c2e-7b45-9d0a-3f5e8c1b2a64"],
}


class Document:
    """Describes operations. The same in the same order give the same document."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self._single_reads = {each.path for each in operations if each.is_single_read}
        self._schemas = {"": self._schemas_of("")}
        for each in operations:
            if each.plugin not in self._schemas:
                self._schemas[each.plugin] = self._schemas_of(each.plugin)
        self._refused: dict[str, Schema] = {}  # components, by name

    def write(self) -> Schema:
        """The whole document but for ``servers``, which depends on the request."""
        paths: dict[str, Schema] = {}
        for operation in self._operations:
            methods = paths.setdefault(operation.path, {})
            methods[operation.method.lower()] = self._operation(operation)
        tags = dict.fromkeys(each.tag for each in self._operations)
        return {
            "openapi": "3.1.0",
            "info": {"title": TITLE, "version": VERSION, "description": DESCRIPTION},
            "security": [{"token": []}],
            "tags": [{"name": tag} for tag in tags],
            "paths": paths,
            "components": {
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
                "headers": {
                    name: {"description": text, "schema": {"type": type_}}
                    for name, (type_, text) in _HEADERS.items()
                },
                "responses": dict(sorted(self._refused.items())),
                "schemas": {
                    **{
                        name: schema
                        for each in self._schemas.values()
                        for name, schema in each.components.items()
                    },
                    "Failure": FAILURE,
                },
            },
        }

    def _schemas_of(self, plugin: str) -> Schemas:
        """The schemas of the core (""), or of a plugin, which names its types as it
        likes."""
        these = [each for each in self._operations if each.plugin == plugin]
        read = [each for one in these for each in (one.query, one.form) if each]
        types = [each for one in these for each in self._types(one)]
        if plugin:
            return Schemas(types, read, f"{identifier(plugin)}.")
        return Schemas([Problem, *types], read)

    def _types(self, operation: Operation) -> list[Any]:
        raw = [each.schema for each in operation.raw]
        paths = [each.type for each in operation.parameters]
        body = None if operation.takes_any_body else operation.body
        types = [operation.answer, operation.accepted, body, *raw, *paths]
        return [each for each in types if each is not None]

    def _operation(self, operation: Operation) -> Schema:
        written: Schema = {
            "operationId": operation.id,
            "summary": operation.summary,
            "description": plain(operation.description),
            "tags": [operation.tag],
            "parameters": self._parameters(operation),
            "requestBody": self._request_body(operation),
            "responses": {**self._successes(operation), **self._refusals(operation)},
        }
        written = {key: each for key, each in written.items() if each}
        if operation.is_single_read:
            written["responses"]["304"] = {
                "description": "Unchanged since an ETag of If-None-Match",
                "headers": _headers("ETag", *RATE_HEADERS),
            }
        if operation.public:
            written["security"] = []
        else:
            written["x-permission"] = operation.permission
        return written

    def _successes(self, operation: Operation) -> Schema:
        rated = RATE_HEADERS if operation.rate == "api" else ()
        is_tagged = operation.is_single_read or operation.etag
        tag = ("ETag",) if is_tagged else ()
        if operation.takes_idempotency_key and not operation.secret:
            tag = ("Idempotency-Replayed",)
        schemas = self._schemas[operation.plugin]
        answers: Schema = {}
        for status, type_, text in (
            (operation.status, operation.answer, "Done"),
            (202, operation.accepted, "Accepted: a job does it"),
        ):
            if type_ is not None:
                enveloped = {
                    "type": "object",
                    "properties": {
                        "success": {"const": True},
                        "data": schemas.of(type_),
                    },
                    "required": ["success", "data"],
                }
                answers[str(status)] = {
                    "description": text,
                    "headers": _headers(*rated, *tag, *_MORE_HEADERS.get(status, ())),
                    "content": {JSON: {"schema": enveloped}},
                }
        for raw in operation.raw:
            written = self._raw(raw, rated, schemas)
            there = answers.setdefault(str(raw.status), written)
            if there is not written:  # the same in another media type
                there["content"] |= written["content"]
        return answers

    def _raw(
        self, raw: RawResponse, rated: tuple[str, ...], schemas: Schemas
    ) -> Schema:
        named = {name: {"schema": {"type": "string"}} for name in raw.headers}
        written: Schema = {
            "description": raw.description,
            "headers": {**_headers(*rated), **named},
        }
        schema = FILE if raw.schema is None else schemas.of(raw.schema)
        if raw.content_type == JSON:
            written["content"] = {JSON: {"schema": schema}}
        elif raw.content_type is not None:
            written["content"] = {raw.content_type: {"schema": schema}}
        return written

    def _refusals(self, operation: Operation) -> Schema:
        codes: dict[int, set[str]] = {}
        for error in errors_of(operation):
            codes.setdefault(error.status, set()).add(error.code)
        is_content = operation.rate == "content"
        refusals: Schema = {}
        for status in sorted(codes.keys() - {r.status for r in operation.raw}):
            those = sorted(codes[status])
            name = ("content_" if is_content else "") + "_or_".join(those)
            rated = () if is_content else RATE_HEADERS
            self._refused[name] = {
                "description": ", ".join(f"`{code}`" for code in those),
                "headers": _headers(*rated, *_MORE_HEADERS.get(status, ())),
                "content": {JSON: {"schema": _refusal(those, is_content=is_content)}},
            }
            refusals[str(status)] = {"$ref": f"#/components/responses/{name}"}
        return refusals

    def _parameters(self, operation: Operation) -> list[Schema]:
        schemas = self._schemas[operation.plugin]
        found = [self._path_parameter(each, schemas) for each in operation.parameters]
        if operation.query is not None:
            fields = schemas.fields(operation.query)
            found += [
                {
                    "name": name,
                    "in": "query",
                    "required": name in fields["required"],
                    **_described(name, schema),
                }
                for name, schema in fields["properties"].items()
            ]
        return [*found, *header_parameters(operation, self._single_reads)]

    def _path_parameter(self, parameter: PathParameter, schemas: Schemas) -> Schema:
        schema = schemas.of(parameter.type)
        if schema == {"type": "string"} and parameter.wire.endswith("Id"):
            schema = _ID
        written: Schema = {"name": parameter.wire, "in": "path", "required": True}
        return {**written, **_described(parameter.wire, schema)}

    def _request_body(self, operation: Operation) -> Schema | None:
        if operation.takes_any_body:
            media_type, schema = "*/*", FILE
        elif operation.body is not None:
            media_type = JSON
            schema = self._schemas[operation.plugin].of(operation.body)
        elif operation.form is not None:
            media_type = "multipart/form-data"
            schema = self._schemas[operation.plugin].fields(operation.form)
            members = schema["properties"]
            for name, member in members.items():
                members[name] = {**_about(name), **member}
        else:
            return None
        return {
            "required": not operation.body_optional,
            "content": {media_type: {"schema": schema}},
        }


def _described(name: str, schema: Schema) -> Schema:
    rest = dict(schema)
    own = {"description": rest.pop("description")} if "description" in rest else {}
    return {**_about(name), **own, "schema": rest}


def _about(name: str) -> Schema:
    return {"description": ABOUT[name]} if name in ABOUT else {}
