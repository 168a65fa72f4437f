"""The format arb: names, attributes, locale, plural messages."""

import json
from collections.abc import Sequence

import pytest
from locframework_formats_json.arb import Arb
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
    WrittenFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")
TEMPLATE = """{
  "@@locale": "zh_Hant_TW",
  "@@last_modified": "2026-01-31",
  "@_CART": {},
  "cartTitle": "Cart",
  "@cartTitle": {
    "description": "Title",
    "type": "text",
    "placeholders": {"n": {"type": "int", "optionalParameters": {"decimalDigits": 2}}}
  },
  "items": "{n, plural, =1{one} other{{n} items}}"
}"""


def read(content: str) -> Catalogue:
    (catalogue,) = Arb().read(SourceFile("", content.encode()), OPTIONS)
    return catalogue


def write(entries: Sequence[Entry], code: str | None = None) -> WrittenFile:
    return Arb().write([Catalogue(code, entries)], OPTIONS)


def document(*entries: Entry, code: str | None = None) -> dict[str, object]:
    found: dict[str, object] = json.loads(write(entries, code).content)
    return found


def test_a_template_is_read_with_all_that_it_says() -> None:
    catalogue = read(TEMPLATE)
    title, items = catalogue.entries

    assert catalogue.language_code == "zh-Hant-TW"
    assert catalogue.detail == {"arb": {"@@last_modified": "2026-01-31", "@_CART": {}}}
    assert (title.key, title.value, title.description, title.line) == (
        "cartTitle",
        "Cart",
        "Title",
        5,
    )
    number = {"type": "int", "optionalParameters": {"decimalDigits": 2}}
    assert title.key_detail == {
        "arb": {"attributes": {"type": "text", "placeholders": {"n": number}}}
    }
    assert (items.value, items.is_plural) == (
        {"one": "one", "other": "{n} items"},
        True,
    )
    assert items.key_detail == {"arb": {"argument": "n"}}
    assert items.detail == {"arb": {"exact": {"one": "=1"}}}


def test_a_template_is_written_as_it_was() -> None:
    written = Arb().write([read(TEMPLATE)], OPTIONS)

    assert json.loads(written.content) == json.loads(TEMPLATE)
    assert list(json.loads(written.content)) == list(json.loads(TEMPLATE))


@pytest.mark.parametrize(
    "message",
    [
        "{n, plural, =0{} =1{one} other{{n} items}}",
        "{n, plural, =0{} one{} few{some} other{}}",
    ],
)
def test_forms_that_show_nothing_are_kept_beside_the_others(message: str) -> None:
    [entry] = read(json.dumps({"a": message})).entries
    assert isinstance(entry.value, dict)
    kept = {form: text for form, text in entry.value.items() if text}

    again = document(replace(entry, value=kept))

    assert again == {"a": message}
    assert document(replace(entry, value=None)) == {}
    kept["zero"] = "none"
    assert "{none}" in str(document(replace(entry, value=kept))["a"])


def test_a_plural_that_shows_nothing_at_all_is_one_text() -> None:
    [entry] = read('{"a": "{n, plural, other{}}"}').entries

    assert (entry.value, entry.is_plural) == ("{n, plural, other{}}", False)


def test_the_locale_is_spelled_with_underscores() -> None:
    assert document(code="pt-BR") == {"@@locale": "pt_BR"}
    assert document(code=None) == {}


def test_a_key_that_is_no_name_stands_in_the_attributes() -> None:
    assert document(Entry("cart.pay-now", "Pay", description="Button")) == {
        "cartPayNow": "Pay",
        "@cartPayNow": {"description": "Button", "x-key": "cart.pay-now"},
    }


def test_names_are_the_same_in_the_file_of_every_language() -> None:
    english = document(Entry("a.b", "x"), Entry("a-b", "y"))
    german = document(Entry("a.b", "z"), Entry("a-b"))

    assert next(name for name in german if german[name] == "z") == next(
        name for name in english if english[name] == "x"
    )


def test_a_plural_of_another_format_is_a_message_on_count() -> None:
    entry = Entry("items", {"other": "{count} items", "one": "an item"}, True)

    assert document(entry) == {
        "items": "{count, plural, one{an item} other{{count} items}}"
    }


def test_a_text_that_looks_like_a_plural_message_stays_a_text() -> None:
    entry = Entry("items", "{n, plural, other{n}}")

    assert document(entry)["@items"] == {"x-plural": False}
    assert read(write([entry]).content.decode()).entries[0].value == entry.value


def test_forms_that_no_message_can_hold_are_kept_in_the_attributes() -> None:
    forms = {"one": "1 }", "other": "{n}"}
    written = write([Entry("items", forms, True)])

    assert json.loads(written.content)["items"] == "{n}"
    assert read(written.content.decode()).entries[0].value == forms
    assert len(written.warnings) == 1


def test_of_forms_in_the_attributes_a_changed_message_is_the_new_other() -> None:
    content = '{"a": "new", "@a": {"x-plural": {"one": "{", "other": "old"}}}'

    assert read(content).entries[0].value == {"one": "{", "other": "new"}


@pytest.mark.parametrize(
    "detail", [{"msgid": "a"}, {"arb": 1}, {"arb": {"argument": "}"}}]
)
def test_details_that_are_not_ours_are_passed_over(detail: dict[str, object]) -> None:
    entry = Entry("a", {"other": "x"}, True, key_detail=detail, detail=detail)

    assert document(entry) == {"a": "{count, plural, other{x}}"}


def test_attributes_of_no_message_are_told_from_those_of_a_key_that_comes_later() -> (
    None
):
    catalogue = read('{"@foo": {"a": "b"}, "@bar": "x"}')
    written = Arb().write(
        [
            Catalogue(
                "en", [Entry("foo", "1"), Entry("bar", "2")], detail=catalogue.detail
            )
        ],
        OPTIONS,
    )

    assert [(e.key, e.key_detail) for e in read(written.content.decode()).entries] == [
        ("foo", None),
        ("bar", None),
    ]


def test_faults_are_told_by_line() -> None:
    content = (
        '{\n"@@locale": null,\n"a": "x",\n"@a": {"description": 1, "x": NaN},\n'
        '"b": "y",\n"@b": "z",\n"c": "w", "@c": {"x-key": "a"}, "d": {}\n}'
    )

    with pytest.raises(UnreadableFile) as caught:
        read(content)

    assert isinstance(caught.value.details, list)
    assert [(p.path, p.rule) for p in caught.value.details] == [
        ("line 2", "type"),
        ("line 3", "type"),
        ("line 4", "number"),
        ("line 6", "type"),
        ("line 7", "duplicate"),
        ("line 7", "type"),
    ]


@pytest.mark.parametrize(
    ("text", "is_torn"),
    [
        ("{n, plural, one{x} other{y}", True),
        ("{n, plural, one{x}} other{y}}", True),
        ("{n, plural, offset:1 one{x} other{y}}", False),
        ("{n} of {m", False),
    ],
)
def test_a_plural_message_with_a_brace_missing_is_a_text_and_told(
    text: str, is_torn: bool
) -> None:
    catalogue = read(json.dumps({"a": text}))

    assert [entry.value for entry in catalogue.entries] == [text]
    assert len(catalogue.warnings) == is_torn
