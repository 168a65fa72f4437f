"""Every format of the plugin keeps the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import FileOptions, Format, SourceFile
from locframework.testing.contracts.formats import FormatContract

UNREADABLE = {
    "no object": b'["a"]',
    "null": b"null",
    "cut off": b'{"a": "b"',
    "trailing comma": b'{"a": "b",}',
    "comment": b'{"a": "b"} // b',
    "a member twice": b'{"a": "b", "a": "b"}',
    "a member twice inside": b'{"a": {"one": "x", "other": "y", "one": "z"}}',
    "nan": b'{"a": NaN}',
    "infinity": b'{"a": {"b": -Infinity}}',
    "a number": b'{"a": 1}',
    "a large number": b'{"a": 1e999}',
    "a boolean": b'{"a": true}',
    "an array": b'{"a": ["b"]}',
    "nul": b'{"a": "\\u0000"}',
    "nul in a name": b'{"a\\u0000": "b"}',
    "a lone surrogate": b'{"a": "\\udfff"}',
    "a lone surrogate in a name": b'{"\\ud83d": "b"}',
    "a raw control character": b'{"a": "\x01"}',
    "nested 65 deep": b'{"a":' * 65 + b'"b"' + b"}" * 65,
    "nested 65 deep in an array": b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    "not utf-8": b'{"a": "\xe9"}',
}
NESTED = b"""{
  "cart": {
    "title": "Your cart",
    "items": {"one": "{count} item", "other": "{count} items"},
    "empty": {}
  },
  "cart.note": "flat"
}"""
FLAT = b"""{
  "cart.title": "Your cart",
  "cart.items": {"one": "{count} item", "other": "{count} items"},
  "cart.note": {"few": "a few"}
}"""
I18NEXT = b"""{
  "cart": {
    "items_one": "{{count}} item",
    "items_other": "{{count}} items",
    "place_ordinal_one": "{{count}}st",
    "place_ordinal_other": "{{count}}th",
    "friend_male": "A boyfriend"
  },
  "both": "both", "both_one": "1", "both_other": "n"
}"""
ARB = b"""{
  "@@locale": "pt_BR",
  "@@author": "Someone",
  "@_CART": {},
  "cartTitle": "Your {kind} cart",
  "@cartTitle": {
    "description": "Title",
    "type": "text",
    "context": "cart page",
    "placeholders": {"kind": {"type": "String", "example": "new", "x": [1, 2.5, true]}}
  },
  "items": "{n, plural, =0{none} =1{one {kind}} few{a few} other{{n} items}}",
  "steps": "{count, plural, offset:1 one{# step} other{# steps}}",
  "mixed": "You have {count, plural, one{1 item} other{{count} items}}",
  "kind": "{gender, select, male{he} other{they}}"
}"""


def format_named(name: str) -> Format:
    formats = JsonPlugin(JsonSettings()).loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


class TestNestedJson(FormatContract):
    samples: ClassVar[Mapping[str, bytes]] = {"nested": NESTED, "flat": FLAT}
    unreadable: ClassVar[Mapping[str, bytes]] = UNREADABLE | {
        "a key twice": b'{"a": {"b": "x"}, "a.b": "y"}',
        "a plural and keys": b'{"a": {"other": "x"}, "a": {"b": "y"}}',
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-nested")


class TestFlatJson(FormatContract):
    samples: ClassVar[Mapping[str, bytes]] = {"flat": FLAT}
    unreadable: ClassVar[Mapping[str, bytes]] = UNREADABLE | {
        "an object": b'{"a": {"b": "c"}}',
        "forms and more": b'{"a": {"other": "b", "c": "d"}}',
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-flat")


class TestI18nextJson(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {
        "recognize": "a file without plurals is json-nested as well"
    }
    samples: ClassVar[Mapping[str, bytes]] = {"i18next": I18NEXT}
    unreadable: ClassVar[Mapping[str, bytes]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-i18next")


class TestArb(FormatContract):
    samples: ClassVar[Mapping[str, bytes]] = {"arb": ARB}
    unreadable: ClassVar[Mapping[str, bytes]] = UNREADABLE | {
        "nested": b'{"a": {"b": "c"}}',
        "attributes that are none": b'{"a": "b", "@a": "c"}',
        "a description that is no text": b'{"a": "b", "@a": {"description": 1}}',
        "a key that is no text": b'{"a": "b", "@a": {"x-key": ["c"]}}',
        "a key twice": b'{"a": "b", "c": "d", "@c": {"x-key": "a"}}',
        "forms that are none": b'{"a": "b", "@a": {"x-plural": {"x": "y"}}}',
        "a locale that is no text": b'{"@@locale": 1}',
        "nan in attributes": b'{"a": "b", "@a": {"c": [NaN]}}',
        "a member twice in attributes": b'{"a": "b", "@a": {"c": 1, "c": 1}}',
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("arb")


@pytest.mark.parametrize("format_", JsonPlugin(JsonSettings()).loc_provide_formats())
def test_null_names_a_key_without_a_text_in_every_format(format_: Format) -> None:
    file = SourceFile("de.json", b'{"a": "x",\n"b": null}')
    options = FileOptions(key_separator=".", source_language="en")

    [found] = format_.read(file, options)

    said = [(entry.key, entry.value, entry.line) for entry in found.entries]
    assert said == [("a", "x", 1), ("b", None, 2)]
    assert found.warnings == ["line 2: 'b' is null, so it has no text"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("json-nested", '{"a": {"one": null,\n"other": "x"}, "b": {"other": null}}'),
        ("json-flat", '{"a": {"one": null,\n"other": "x"}, "b": {"other": null}}'),
        ("json-i18next", '{"a_one": null,\n"a_other": "x", "b_other": null}'),
    ],
)
def test_a_form_that_is_null_is_one_without_a_text(name: str, content: str) -> None:
    file = SourceFile("de.json", content.encode())
    options = FileOptions(key_separator=".", source_language="en")

    [found] = format_named(name).read(file, options)

    said = [(entry.key, entry.value, entry.is_plural) for entry in found.entries]
    assert said == [("a", {"other": "x"}, True), ("b", None, True)]
    assert [told[:6] for told in found.warnings] == ["line 1", "line 2"]


def test_what_is_said_of_a_message_that_is_null_stays_with_it() -> None:
    content = b'{"a": null, "@a": {"description": "Title", "x": 1}}'
    options = FileOptions(key_separator=".", source_language="en")

    [found] = format_named("arb").read(SourceFile("de.arb", content), options)

    [entry] = found.entries
    assert (entry.key, entry.value, entry.description) == ("a", None, "Title")
    assert entry.key_detail == {"arb": {"attributes": {"x": 1}}}
    assert found.detail is None
