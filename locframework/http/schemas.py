"""JSON Schemas of structs as the OpenAPI document names them, with examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from .records import Upload, UploadedFile

Schema = dict[str, Any]

_REF = "#/components/schemas/"
_GENERIC = re.compile(r"(\w+?)_(\w+?)_+")  # msgspec's name of Page[Key]
_SOURCE = re.compile(r"\s*\((?:service\.md|decisions)[^)]*\)")
_UPLOADS = {Upload.__name__, UploadedFile.__name__}
FILE: Schema = {"type": "string", "format": "binary"}


class Schemas:
    """The schemas of all types that a set of operations reads or answers."""

    def __init__(self, types: Sequence[Any], fields_only: Sequence[Any]) -> None:
        """``fields_only`` are queries and forms: not components of their own."""
        everything = list(dict.fromkeys([*types, *fields_only]))
        schemas, components = msgspec.json.schema_components(
            everything, schema_hook=_anything, ref_template=_REF + "{name}"
        )
        self._schemas = {
            type_: _tidy(schema)
            for type_, schema in zip(everything, schemas, strict=True)
        }
        self._all = {_name(name): _tidy(each) for name, each in components.items()}
        hidden = {self._name_of(each) for each in fields_only} | _UPLOADS
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
            name: _without_null(each) for name, each in schema["properties"].items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": schema.get("required", []),
        }

    def resolve(self, schema: Schema) -> Schema:
        """The component that a reference names, or the schema itself."""
        while "$ref" in schema:
            schema = self._all[schema["$ref"].removeprefix(_REF)]
        return schema

    def resolve_answered(self, schema: Schema) -> Schema:
        """As ``resolve``; what has a default is required, as an answer carries it."""
        resolved = self.resolve(schema)
        members = resolved.get("properties", {}).items()
        there = [name for name, each in members if "default" in each]
        return {**resolved, "required": [*resolved.get("required", ()), *there]}

    def _name_of(self, type_: Any) -> str:
        name: str = self._schemas[type_]["$ref"].removeprefix(_REF)
        return name


def plain(text: str) -> str:
    """A docstring as the document's readers need it: no sources, Markdown."""
    return _SOURCE.sub("", text).replace("``", "`")


def _anything(_type: type) -> Schema:
    return {"description": "Any JSON value"}


def _name(name: str) -> str:
    found = _GENERIC.fullmatch(name)
    return f"{found[1]}Of{found[2]}" if found else name


def _tidy(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {key: _tidy(each) for key, each in schema.items() if key != "title"}
    if isinstance(title := schema.get("title"), dict):  # a property of that name
        tidy["title"] = _tidy(title)
    if isinstance(description := tidy.get("description"), str):
        tidy["description"] = plain(description)
    if isinstance(ref := tidy.get("$ref"), str):
        tidy["$ref"] = _REF + _name(ref.removeprefix(_REF))
    return tidy


def _without_null(schema: Schema) -> Schema:
    if str(schema.get("$ref")).removeprefix(_REF) in _UPLOADS:
        return FILE
    told = {key: each for key, each in schema.items() if key != "anyOf"}
    if told.get("default", ...) is None:
        del told["default"]
    options = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(options) == 1:
        return {**options[0], **told}
    return {**told, "anyOf": options} if options else told


AN_ID = "0199f3a1-7c2e-7b45-9d0a-3f5e8c1b2a64"
A_TIME = "2026-11-21T08:45:29.123Z"
DEPTH_LIMIT = 8

Resolve = Callable[[Schema], Schema]


def example_of(schema: Schema, resolve: Resolve, name: str = "", depth: int = 0) -> Any:
    """A value that fits ``schema``; ``name`` is the property that it is for.

    A schema with a pattern needs an example of its own (``Meta(examples=[…])``).
    """
    schema = {**resolve(schema), **schema}  # a reference may have its own examples
    if _KNOWN.get(name) in schema.get("enum", ()):
        return _KNOWN[name]
    for known in ("examples", "enum"):
        if schema.get(known):
            return schema[known][0]
    for known in ("const", "default"):
        if schema.get(known) is not None:
            return schema[known]
    if options := schema.get("anyOf") or schema.get("oneOf"):
        not_null = [each for each in options if each.get("type") != "null"]
        return example_of((not_null or options)[0], resolve, name, depth)
    match schema.get("type"):
        case "object":
            return _example_object(schema, resolve, depth)
        case "array":
            least, items = schema.get("minItems", 0), schema.get("items")
            if items is None or (depth > DEPTH_LIMIT and not least):
                return []
            item = example_of(items, resolve, name.removesuffix("s"), depth + 1)
            return [item] * max(1, least)
        case "string":
            if schema.get("format") == "date-time" or name.endswith("At"):
                text = A_TIME
            elif name == "id" or name.endswith("Id"):
                text = AN_ID
            else:
                text = _KNOWN.get(name, name or "text")
            text = text[: schema.get("maxLength", len(text))]
            return text.ljust(schema.get("minLength", 0), "x")
        case "integer" | "number":
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
            return min(max(1, least), schema.get("maximum", least + 1))
    return False if schema.get("type") == "boolean" else None


def _example_object(schema: Schema, resolve: Resolve, depth: int) -> dict[str, Any]:
    """An object with what is required, and what has examples of its own."""
    required = schema.get("required", ())
    return {
        name: example_of(each, resolve, name, depth + 1)
        for name, each in schema.get("properties", {}).items()
        if name in required or (depth <= DEPTH_LIMIT and "examples" in resolve(each))
    }


_KNOWN = {
    "branch": "spring",
    "channel": "stable",
    "description": "The button under the cart",
    "distribution": "locframework-formats-json",
    "extension": ".json",
    "file": "(the bytes of the file)",
    "icon": "🇩🇪",
    "key": "checkout.pay",
    "keySource": "main",
    "label": "German",
    "name": "Web shop",
    "screenshotUrl": "https://example.com/",
    "tag": "button",
    "version": "0.1.0",
    "languageCode": "de",
    "sourceLanguage": "en",
    "fallbackLanguageCode": "en",
    "direction": "ltr",
    "email": "ada@example.com",
    "url": "https://example.com/",
    "contentType": "application/json",
    "pluralForm": "other",
}
