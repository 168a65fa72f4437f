"""Makes a valid example of a schema, from the examples that its fields carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .schemas import Schema

AN_ID = "0199f3a1-7c2e-7b45-9d0a-3f5e8c1b2a64"
A_TIME = "2026-11-21T08:45:29.123Z"
DEPTH_MOST = 8

Resolve = Callable[[Schema], Schema]


def example_of(schema: Schema, resolve: Resolve, name: str = "", depth: int = 0) -> Any:
    """A value that fits ``schema``; ``name`` is the member that it is for.

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
        return example_of(_first_of(options), resolve, name, depth)
    make = _MAKERS.get(schema.get("type", "null"), _nothing)
    return make(schema, resolve, name, depth)


def _first_of(options: list[Schema]) -> Schema:
    """The first that is not null."""
    return next((each for each in options if each.get("type") != "null"), options[0])


def _object(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    properties = schema.get("properties", {})
    wanted = [
        member
        for member, each in properties.items()
        if member in schema.get("required", ()) or "examples" in resolve(each)
    ]
    if depth > DEPTH_MOST:
        wanted = list(schema.get("required", ()))
    return {
        member: example_of(properties[member], resolve, member, depth + 1)
        for member in wanted
    }


def _array(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    least = schema.get("minItems", 0)
    items = schema.get("items")
    if items is None or (depth > DEPTH_MOST and not least):
        return []
    singular = name.removesuffix("s")
    return [example_of(items, resolve, singular, depth + 1)] * max(1, least)


def _string(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    if schema.get("format") == "date-time" or name.endswith("At"):
        text = A_TIME
    elif name == "id" or name.endswith("Id"):
        text = AN_ID
    else:
        text = _KNOWN.get(name, name or "text")
    text = text[: schema.get("maxLength", len(text))]
    return text.ljust(schema.get("minLength", 0), "x")


def _integer(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return min(max(1, least), schema.get("maximum", least + 1))


def _boolean(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    return False


def _nothing(schema: Schema, resolve: Resolve, name: str, depth: int) -> Any:
    return None


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
_MAKERS: dict[str, Callable[[Schema, Resolve, str, int], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _integer,
    "boolean": _boolean,
}
