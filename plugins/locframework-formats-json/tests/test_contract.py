"""Every format of the plugin keeps the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import Catalogue, FileOptions, Format, SourceFile
from locframework.testing.contracts.formats import FormatContract

UNREADABLE = {
    "no object": b'["a"]',
    "null": b"null",
    "cut off": b'{"a": "b"',
    "trailing comma": b'{"a": "b",}',
    "comment": b'{"a": "b"} // b',
    "a member with two values": b'{"a": "b", "a": "c"}',
    "a member with two values inside": b'{"a": {"one": "x", "other": "y", "one": "z"}}',
    "nan": b'{"a": NaN}',
    "infinity": b'{"a": {"b": -Infinity}}',
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
  "@@locale": "en",
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
    unreadable: ClassVar[Mapping[str, bytes]] = UNREADABLE

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
        "a key twice": b'{"a": "b", "c": "d", "@c": {"x-key": "a"}}',
        "nan in attributes": b'{"a": "b", "@a": {"c": [NaN]}}',
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("arb")


ALL = JsonPlugin(JsonSettings()).loc_provide_formats()
OPTIONS = FileOptions(key_separator=".", source_language="en")


@pytest.mark.parametrize("format_", ALL)
def test_what_is_no_text_makes_no_key_and_is_no_fault(format_: Format) -> None:
    content = b'{"a": "x", "b": null, "c": 1.5, "d": true, "e": {}, "f": [], "g": [2]}'

    [found] = format_.read(SourceFile("de.json", content), OPTIONS)

    assert [(entry.key, entry.value) for entry in found.entries] == [("a", "x")]


@pytest.mark.parametrize("format_", ALL)
@pytest.mark.parametrize(
    ("member", "told"),
    [
        (r'"b": "\u0000"', "line 2: 'b' is left out: it contains U+0000"),
        (r'"b": "\udfff"', "line 2: 'b' is left out: it contains a lone surrogate"),
        (
            r'"\ud83d": "b"',
            "line 2: '\\ud83d' is left out: it contains a lone surrogate",
        ),
        ('"b": 1e999', "line 2: 'b' is left out: the number is too large"),
        ('"b": 9007199254740992', "line 2: 'b' is left out: the number is too large"),
        ('"a": "x"', "line 2: the member 'a' is given twice, equally"),
    ],
)
def test_what_cannot_be_read_costs_itself_with_a_warning(
    format_: Format, member: str, told: str
) -> None:
    content = f'{{"a": "x",\n{member},\n"c": "z"}}'.encode()

    [found] = format_.read(SourceFile("de.json", content), OPTIONS)
    template = Catalogue("en", found.entries, template=content)

    texts = {entry.key: entry.value for entry in found.entries if entry.value}
    assert texts == {"a": "x", "c": "z"}
    assert found.warnings == [told]
    assert format_.write([template], OPTIONS).content == content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("json-nested", '{"a": {"one": null, "other": "x"}, "b": {"other": null}}'),
        ("json-flat", '{"a": {"one": null, "other": "x"}, "b": {"other": null}}'),
    ],
)
def test_a_form_that_is_null_is_one_without_a_text(name: str, content: str) -> None:
    file = SourceFile("de.json", content.encode())

    [found] = format_named(name).read(file, OPTIONS)

    said = [(entry.key, entry.value, entry.is_plural) for entry in found.entries]
    assert said == [("a", {"other": "x"}, True), ("b", None, True)]
