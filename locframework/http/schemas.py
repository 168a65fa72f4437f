"""JSON Schemas of structs as the OpenAPI document names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from .records import Upload, UploadedFile

Schema = dict[str, Any]

COMPONENTS = "#/components/schemas/"  # where references point
_GENERIC = re.compile(r"(\w+?)_(\w+?)_+")  # msgspec's name of Page[Key]
_SOURCE = re.compile(r"\s*\((?:service\.md|decisions)[^)]*\)")
_UPLOADS = {Upload.__name__, UploadedFile.__name__}
FILE: Schema = {"type": "string", "format": "binary"}


class Schemas:
    """The schemas of all types that a set of operations reads or answers."""

    def __init__(
        self, types: Sequence[Any], fields_only: Sequence[Any], prefix: str = ""
    ) -> None:
        """``fields_only`` are queries and forms: not components of their own. The names
        of components begin with ``prefix``."""
        self._prefix = prefix
        everything = list(dict.fromkeys([*types, *fields_only]))
        schemas, components = msgspec.json.schema_components(
            everything, schema_hook=_anything, ref_template=COMPONENTS + "{name}"
        )
        self._schemas = {
            type_: _tidy(schema, prefix)
            for type_, schema in zip(everything, schemas, strict=True)
        }
        self._all = {
            prefix + _name(name): _tidy(each, prefix)
            for name, each in components.items()
        }
        hidden = {self._name_of(each) for each in fields_only}
        hidden |= {prefix + each for each in _UPLOADS}
        self.components = {
            name: each for name, each in sorted(self._all.items()) if name not in hidden
        }

    def of(self, type_: Any) -> Schema:
        """The schema of a type, mostly a reference."""
        schema: Schema = self._schemas[type_]
        return schema

    def fields(self, type_: type[Struct]) -> Schema:
        """The object schema of a query or form; null, which no text is, left out."""
        schema: Schema = self._all[self._name_of(type_)]
        properties = {
            name: _without_null(each, self._prefix)
            for name, each in schema["properties"].items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": schema.get("required", []),
        }

    def _name_of(self, type_: Any) -> str:
        name: str = self._schemas[type_]["$ref"].removeprefix(COMPONENTS)
        return name


def plain(text: str) -> str:
    """A docstring as the document's readers need it: no sources, Markdown."""
    return _SOURCE.sub("", text).replace("``", "`")


def _anything(_type: type) -> Schema:
    return {"description": "Any JSON value"}


def _name(name: str) -> str:
    found = _GENERIC.fullmatch(name)
    return f"{found[1]}Of{found[2]}" if found else name


def _tidy(schema: Any, prefix: str) -> Any:
    if isinstance(schema, list):
        return [_tidy(each, prefix) for each in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {key: _tidy(each, prefix) for key, each in schema.items() if key != "title"}
    if isinstance(title := schema.get("title"), dict):  # a property of that name
        tidy["title"] = _tidy(title, prefix)
    if isinstance(description := tidy.get("description"), str):
        tidy["description"] = plain(description)
    if isinstance(ref := tidy.get("$ref"), str):
        tidy["$ref"] = COMPONENTS + prefix + _name(ref.removeprefix(COMPONENTS))
    return tidy


def _without_null(schema: Schema, prefix: str) -> Schema:
    if str(schema.get("$ref")).removeprefix(COMPONENTS + prefix) in _UPLOADS:
        return FILE
    told = {key: each for key, each in schema.items() if key != "anyOf"}
    if told.get("default", ...) is None:
        del told["default"]
    options = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(options) == 1:
        return _without_null({**options[0], **told}, prefix)
    return {**told, "anyOf": options} if options else told
